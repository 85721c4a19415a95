import { randomUUID } from 'node:crypto'
import type { Message } from '../conversation/message.js'
import type { CompiledMessage, CompiledPrompt } from '../registry/registry.js'
import type { HostTemplate, TextSpan, VariableReference } from '../template/host.js'
import { at } from '../util/at.js'
import { type JsonObject, type JsonValue, stringifyJson } from '../util/json/json.js'
import { objectField } from '../util/json/json-fields.js'
import { isParts } from './is-parts.js'
import { templatesOf } from './templates-of.js'

/**
 * What is known about a compiled prompt before any request: its templates in order, the JSON text around their
 * outputs, and how outputs become messages.
 */
export interface RenderPlan {
  readonly kind: 'prompt' | 'messages'
  readonly templates: readonly HostTemplate[]
  /** One more than templates: the JSON of the rendered prompt is chunk, output, chunk, output, …, chunk. */
  readonly chunks: readonly string[]
  /** Whether all of them are ASCII. */
  readonly hasAsciiChunks: boolean
  /** Every path that some template reads, in order of appearance. */
  readonly references: readonly VariableReference[]
  /** True when a template calls functions or other templates, which may be tools or call them. */
  readonly mayCallTools: (isTool: (name: string) => boolean) => boolean
  /** The names of all functions that the templates themselves call. */
  readonly functions: readonly string[]
  toMessages(outputs: readonly string[]): readonly Message[]
  /** The spans of each message, from those of each output; a text is one message. */
  toSpans(outputs: readonly (readonly TextSpan[])[]): readonly (readonly MessageSpan[])[]
}

/** Where a stretch of a message comes from. */
export interface MessageSpan extends TextSpan {
  /** Of a message of parts: which part the text is in. */
  readonly part?: number
  /** The member of that part, dotted. */
  readonly field?: string
}

/** Works out a compiled prompt's plan; once per revision. */
export function createRenderPlan(compiled: CompiledPrompt): RenderPlan {
  const templates = templatesOf(compiled)
  const chunks = compiled.kind === 'prompt' ? ['"', '"'] : chunksOf(compiled.messages, templates.length)
  return {
    kind: compiled.kind,
    templates,
    chunks,
    hasAsciiChunks: chunks.every((chunk) => Buffer.byteLength(chunk) === chunk.length),
    references: templates.flatMap((template) => template.references.variables),
    mayCallTools: (isTool) =>
      templates.some(
        ({ references }) =>
          references.partials.length > 0 || references.functions.some(({ name }) => isTool(name)),
      ),
    functions: templates.flatMap(({ references }) => references.functions.map(({ name }) => name)),
    toSpans: (outputs) => (compiled.kind === 'prompt' ? outputs : spansOf(compiled.messages, outputs)),
    toMessages: (outputs) => (compiled.kind === 'prompt' ? [] : fillMessages(compiled.messages, outputs)),
  }
}

/** Prints the messages with a mark in place of each output and cuts the text at the marks. */
function chunksOf(messages: readonly CompiledMessage[], count: number): readonly string[] {
  // Unguessable, so that no text of a prompt can be taken for a mark.
  const mark = randomUUID()
  const marks = Array.from({ length: count }, () => mark)
  return stringifyJson(fillMessages(messages, marks)).split(mark)
}

function fillMessages(messages: readonly CompiledMessage[], outputs: readonly string[]): readonly Message[] {
  let next = 0
  const take = () => at(outputs, next++)
  return messages.map(({ source, content }) => ({
    ...source,
    content: isParts(content)
      ? content.map((part) =>
          part.fields.reduce((filled, [path]) => withField(filled, path, take()), part.source),
        )
      : take(),
  }))
}

function spansOf(
  messages: readonly CompiledMessage[],
  outputs: readonly (readonly TextSpan[])[],
): readonly (readonly MessageSpan[])[] {
  let next = 0
  const take = () => at(outputs, next++)
  return messages.map(({ content }) =>
    isParts(content)
      ? content.flatMap(({ fields }, part) =>
          fields.flatMap(([path]) => take().map((span) => ({ ...span, part, field: path.join('.') }))),
        )
      : take(),
  )
}

function withField<Part extends JsonObject>(part: Part, path: readonly string[], text: string): Part {
  const [name = '', ...rest] = path
  const value: JsonValue = rest.length === 0 ? text : withField(objectField(part, name), rest, text)
  return { ...part, [name]: value }
}
