import type { BilledTokensShape, PrefixBillShape } from '../schema/api.js'
import type { ReadonlyStatic } from '../schema/readonly-static.js'
import {
  type HostTemplate,
  loadEncoding,
  type PrefixPart,
  positionAt,
  segmentsOf,
  tokenStarts,
} from '../template/host.js'
import { at } from '../util/at.js'
import { isJsonObject, own } from '../util/json/json.js'
import { createSlicer } from '../util/slices/pause.js'
import type { MessageSpan } from './render-plan.js'
import type { RenderRequest } from './render-request.js'
import type { TracedPrompt } from './rendered-prompt.js'
import { PrefixReader } from './stable-prefix.js'
import { templatesOf } from './templates-of.js'

/** Tokens that come from one place. */
export type BilledTokens = ReadonlyStatic<typeof BilledTokensShape>
/** How much of a prompt a provider's prefix cache can keep. */
export type PrefixBill = ReadonlyStatic<typeof PrefixBillShape>
/** Where the part that all renders share ends. */
export type PrefixBreak = NonNullable<PrefixBill['breaks_at']>

/** The tokens of a render by their origin, the most first, and how many of them a prefix cache can keep. */
export interface TokenBill {
  readonly origins: readonly BilledTokens[]
  readonly prefix: PrefixBill
}

/** Adds up where the tokens of a traced render come from; a token that two places share is that of its first character. */
export async function tokenBill(
  traced: TracedPrompt,
  request: Pick<RenderRequest, 'compiled' | 'snapshot'>,
): Promise<TokenBill> {
  await loadEncoding()
  const reader = createOriginReader(request)
  const bill = new Map<string, BilledTokens>()
  const slicer = createSlicer()
  let [stable, fixed] = [0, 0]
  let broken: PrefixBreak | undefined
  for (const { message, text, spans, isText } of textsOf(traced)) {
    const breaking =
      broken === undefined ? spans.find((span) => reader.volatileAt(span) !== undefined) : undefined
    const end = broken !== undefined ? 0 : (breaking?.start ?? text.length)
    if (isText) {
      let next = 0
      for (const segment of withOffsets(text)) {
        for (const { start, end: tokenEnd } of segment) {
          while (next + 1 < spans.length && at(spans, next).end <= start) next += 1
          const span = spans[next]
          add(bill, span === undefined ? UNKNOWN : originOf(span))
          if (tokenEnd <= end) stable += 1
          if (span === undefined || reader.volatileAt(span) === undefined) fixed += 1
        }
        await slicer.turn()
      }
    }
    if (breaking !== undefined) broken = reader.describe(message, breaking)
  }
  return {
    origins: [...bill.values()].sort((one, other) => other.tokens - one.tokens),
    prefix: { stable_tokens: stable, breaks_at: broken ?? null, could_be: Math.max(stable, fixed) },
  }
}

const UNKNOWN = { kind: 'text' } as const

interface BilledText {
  readonly message: number
  readonly text: string
  readonly spans: readonly MessageSpan[]
  /** Whether its tokens count: those of an address of an image do not. */
  readonly isText: boolean
}

function* textsOf({ prompt, spans }: TracedPrompt): Generator<BilledText> {
  if (prompt.kind === 'prompt') {
    yield { message: 0, text: prompt.text, spans: spans[0] ?? [], isText: true }
    return
  }
  for (const [message, { content }] of prompt.messages.entries()) {
    const all = spans[message] ?? []
    if (typeof content === 'string') yield { message, text: content, spans: all, isText: true }
    else if (Array.isArray(content))
      for (const [part, each] of content.entries()) {
        const ofPart = all.filter((span) => span.part === part)
        const others = ofPart.filter(({ field }) => field !== 'text')
        const text = isJsonObject(each) ? own(each, 'text') : undefined
        const spansOfText = ofPart.filter(({ field }) => field === 'text')
        if (typeof text === 'string') yield { message, text, spans: spansOfText, isText: true }
        if (others.length > 0) yield { message, text: '', spans: others, isText: false }
      }
  }
}

interface TokenPlace {
  readonly start: number
  readonly end: number
}

/** The tokens of each segment of a text, with their offsets in the whole. */
function* withOffsets(text: string): Generator<readonly TokenPlace[]> {
  let offset = 0
  for (const segment of segmentsOf(text)) {
    const starts = tokenStarts(segment)
    const from = offset
    yield starts.map((start, index) => ({
      start: from + start,
      end: from + (starts[index + 1] ?? segment.length),
    }))
    offset += segment.length
  }
}

function add(bill: Map<string, BilledTokens>, origin: Omit<BilledTokens, 'tokens'>): void {
  const key = `${origin.kind}\n${origin.path ?? origin.call ?? origin.template ?? ''}`
  bill.set(key, { ...origin, tokens: (bill.get(key)?.tokens ?? 0) + 1 })
}

function originOf({ kind, path, call, template }: MessageSpan): Omit<BilledTokens, 'tokens'> {
  if (path !== undefined) return { kind, path: withoutIndices(path) }
  return call === undefined ? { kind, template } : { kind, call }
}

/** A path up to the first element of a list. */
function withoutIndices(path: string): string {
  const names = path.split('.')
  const index = names.findIndex((name) => /^\d+$/.test(name))
  return index < 1 ? path : names.slice(0, index).join('.')
}

interface OriginReader {
  /** What makes a stretch differ from request to request; undefined if nothing does. */
  volatileAt(span: MessageSpan): string | undefined
  describe(message: number, span: MessageSpan): PrefixBreak
}

/** Knows the templates of a prompt, and those that they include, by name. */
function createOriginReader(request: Pick<RenderRequest, 'compiled' | 'snapshot'>): OriginReader {
  const prefixes = new PrefixReader(request)
  const templates = new Map<string, HostTemplate>()
  const visit = (template: HostTemplate) => {
    if (templates.has(template.name)) return
    templates.set(template.name, template)
    for (const { name } of template.references.partials) {
      const included = template.partial(name)
      if (included !== undefined) visit(included)
    }
  }
  const own = templatesOf(request.compiled)
  // Messages have templates of one name each; where two share one, the parts of the first that fits are read.
  for (const template of own) visit(template)
  const marks = new Map<string, readonly MarkedPart[]>()
  const marksOf = (name: string) => {
    const known = marks.get(name)
    if (known !== undefined) return known
    const template = templates.get(name)
    const read = template === undefined ? [] : marked(template, prefixes.partsOf(template))
    marks.set(name, read)
    return read
  }
  const volatileAt = ({ kind, path, call, template, line, column }: MessageSpan) => {
    if (kind === 'variable') return `.${path ?? ''}`
    if (kind === 'tool') return call
    const last = marksOf(template).findLast(
      (part) => part.line < line || (part.line === line && part.column <= column),
    )
    return last?.volatile
  }
  return {
    volatileAt,
    describe: (message, span) => {
      const { template, line, column } = span
      return { message, template, line, column, by: volatileAt(span) ?? '' }
    },
  }
}

interface MarkedPart extends PrefixPart {
  readonly line: number
  readonly column: number
}

function marked({ source }: HostTemplate, parts: readonly PrefixPart[]): readonly MarkedPart[] {
  return parts.map((part) => ({ ...part, ...positionAt(source, part.position) }))
}
