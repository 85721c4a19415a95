import type { FunctionLookup, HostTemplate, JsonText, RenderOptions, TracedText } from '../template/host.js'
import { at } from '../util/at.js'
import type { JsonObject } from '../util/json/json.js'
import { OWN_ENTRIES } from './own-entries.js'
import type { RenderPlan } from './render-plan.js'
import type { RenderedJson, RenderedPrompt, TracedPrompt } from './rendered-prompt.js'
import type { RenderWarning } from './tool-functions.js'

/** What a render makes of the outputs of its templates. */
export interface Form<Output, Result> {
  readonly output: 'text' | 'json'
  /** The templates as they were written, with nothing of the context in them. */
  readonly isUnfolded?: boolean
  readonly execute: (
    template: HostTemplate,
    data: JsonObject,
    options: RenderOptions,
    tools: FunctionLookup | undefined,
  ) => Output | Promise<Output>
  readonly finish: (
    plan: RenderPlan,
    outputs: readonly Output[],
    warnings: readonly RenderWarning[],
  ) => Result
}

/** Plain text. */
export const TEXT_FORM: Form<string, RenderedPrompt> = {
  output: 'text',
  execute: (template, data, options) => template.execute(data, options),
  finish: (plan, outputs, warnings) =>
    plan.kind === 'prompt'
      ? { kind: 'prompt', text: at(outputs, 0), warnings }
      : { kind: 'messages', messages: plan.toMessages(outputs), warnings },
}

/** Joins JSON between the chunks of the plan. */
export const JSON_FORM: Form<JsonText, RenderedJson> = {
  output: 'json',
  execute: (template, data, options) => template.executeJson(data, options),
  finish: ({ kind, chunks, hasAsciiChunks }, outputs, warnings) => {
    let json = at(chunks, 0)
    let isAscii = hasAsciiChunks
    for (let index = 0; index < outputs.length; index += 1) {
      const output = at(outputs, index)
      json += output.text + at(chunks, index + 1)
      if (!output.isAscii) isAscii = false
    }
    return { kind, json, isAscii, warnings }
  },
}

/** Text, with the origin of every character. */
export const TRACED_FORM: Form<TracedText, TracedPrompt> = {
  output: 'text',
  isUnfolded: true,
  execute: (template, data, options, tools) =>
    template.trace(data, {
      ...options,
      isEnviron: (entry) => !OWN_ENTRIES.has(entry),
      isTool: (name) => tools?.has(name) === true,
    }),
  finish: (plan, outputs, warnings) => ({
    prompt: TEXT_FORM.finish(
      plan,
      outputs.map(({ text }) => text),
      warnings,
    ),
    spans: plan.toSpans(outputs.map(({ spans }) => spans)),
  }),
}
