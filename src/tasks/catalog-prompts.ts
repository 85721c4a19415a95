import type { Message } from '../conversation/message.js'
import type { InlinePrompt } from '../prompts/inline-prompt.js'
import type { Renderer } from '../prompts/render.js'
import type { Registry } from '../registry/registry.js'
import { revisionOf } from '../registry/revision.js'
import type { PromptEntry, Snapshot } from '../registry/snapshot.js'
import { type CallContext, narrowContext } from '../util/call-context.js'
import { type JsonObject, stringifyJson } from '../util/json/json.js'
import {
  createBuiltInPrompts,
  PLANNER_PROMPTS,
  type PlannerPromptName,
  type PlannerPrompts,
} from './planner-prompts.js'

export interface CatalogPromptsDependencies {
  readonly registry: Registry
  readonly renderer: Renderer
  /** @throws ServiceError invalid_prompt, TemplateError */
  readonly compileInline: (snapshot: Snapshot, document: JsonObject) => InlinePrompt | Promise<InlinePrompt>
}

/** The `planner.*` documents that the catalog has now in place of the bundled ones, by name: what a task that begins keeps to. */
export function pinPrompts({ current }: Registry): JsonObject {
  return Object.fromEntries(
    PLANNER_PROMPTS.flatMap((name) => {
      const entry = current.prompts.get(plannerId(name))
      return entry === undefined || entry.origin === 'bundled' ? [] : [[name, entry.document] as const]
    }),
  )
}

/** Prompts of pinned documents, rendered as any prompt of the catalog is; what is not pinned is built in. */
export function catalogPrompts(
  { registry, renderer, compileInline }: CatalogPromptsDependencies,
  pinned: ReadonlyMap<string, JsonObject>,
  call: CallContext,
): PlannerPrompts {
  const builtIn = createBuiltInPrompts()
  return {
    async render(name, variables, traceparent = call.traceparent): Promise<readonly Message[]> {
      const document = pinned.get(name)
      if (document === undefined) return builtIn.render(name, variables)
      const snapshot = registry.current
      const rendered = await renderer.render({
        snapshot,
        ...(await compileInline(snapshot, document)),
        prompt: pinnedPrompt(snapshot, name, document),
        variables,
        call: narrowContext(call, { traceparent }),
        isShared: true,
      })
      return rendered.kind === 'messages' ? rendered.messages : [{ role: 'user', content: rendered.text }]
    },
  }
}

function plannerId(name: PlannerPromptName): string {
  return `planner.${name}`
}

/** What a pinned prompt is called: by the catalog's revision, unless the catalog has moved on. */
function pinnedPrompt(
  { prompts }: Snapshot,
  name: PlannerPromptName,
  document: JsonObject,
): Pick<PromptEntry, 'id' | 'revision'> {
  const id = plannerId(name)
  const text = stringifyJson(document)
  const current = prompts.get(id)
  const isCurrent = current !== undefined && stringifyJson(current.document) === text
  return {
    id,
    revision: isCurrent ? current.revision : revisionOf({ kind: 'templates', path: ['planner', name] }, text),
  }
}
