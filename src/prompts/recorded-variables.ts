import { randomUUID } from 'node:crypto'
import type { ToolEntry } from '../registry/snapshot.js'
import type { ItemState, StoredItem } from '../state/contract/item-state.js'
import { isJsonObject, type JsonObject, type JsonValue, own, stringifyJson } from '../util/json/json.js'
import { listField, numberField, objectField, textField } from '../util/json/json-fields.js'
import type { Renderer } from './render.js'
import type { RenderRequest } from './render-request.js'
import { SecretMask } from './secret-mask.js'

/** Variables that a request rendered a prompt with. */
export interface RecordedSet {
  /** Epoch milliseconds. */
  readonly at: number
  /** Without what the prompt's schema marks as secret. */
  readonly variables: JsonObject
  /** What tools answered meanwhile; none of a set with a secret, which arguments and results may repeat. */
  readonly calls: readonly RecordedCall[]
}

/** What a tool answered to a template. */
export interface RecordedCall {
  /** Its id. */
  readonly tool: string
  /** As the template wrote them. */
  readonly arguments: readonly JsonValue[]
  readonly result: JsonValue
}

/** What is kept, and for how long. */
export interface RecorderOptions {
  /** Sets per prompt. */
  readonly perPrompt: number
  /** The part of all requests that is kept, from 0 to 1. */
  readonly share: number
  readonly ttlMs: number
  /** Epoch milliseconds. */
  readonly now: () => number
  /** From 0 to 1. Default `Math.random`. */
  readonly random?: () => number
  /** Called when state takes nothing: without what was to be kept. */
  readonly onLost: (why: unknown) => void
}

/** Larger sets are not kept, in characters of JSON. */
const MAX_SET = 16_384
/** Of one set. */
const MAX_CALLS = 100
const FLUSH_MS = 1_000
/** Sets wait for the end of their render, and no longer than this. */
const MAX_OPEN_MS = 30_000
const SWEEP_MS = 60_000
/** Prompts of which sets wait to be written; more are passed over. */
const MAX_WAITING = 1_000

/** A set of a request that may still wait for its tools. */
interface WaitingSet {
  readonly at: number
  readonly variables: JsonObject
  readonly calls: RecordedCall[]
  /** Whether it renders yet and calls tools. */
  isOpen: boolean
}

interface Waiting {
  readonly parameters: JsonObject
  readonly sets: WaitingSet[]
  /** How many came, also those that were passed over. */
  seen: number
}

/** A batch of sets, as it is in state. */
interface Batch {
  readonly key: string
  readonly prompt: string
  readonly at: number
  readonly sets: readonly RecordedSet[]
}

/**
 * Keeps the last variables of each prompt in state: the one place that writes them, masked. They are personal data: they
 * go nowhere else.
 */
export class VariableRecorder {
  readonly #options: RecorderOptions
  readonly #random: () => number
  readonly #waiting = new Map<string, Waiting>()
  readonly #open = new WeakMap<RenderRequest, WaitingSet>()
  #items: ItemState | undefined
  #timer: NodeJS.Timeout | undefined
  #sweptAt = Number.NEGATIVE_INFINITY

  constructor(options: RecorderOptions) {
    this.#options = options
    this.#random = options.random ?? Math.random
  }

  /** Starts to write into state; before, nothing is kept. */
  keepIn(items: ItemState): void {
    this.#items = items
    this.#timer = setInterval(() => void this.flush(), FLUSH_MS)
    this.#timer.unref()
  }

  /**
   * Notes a request's variables, to be written later. Neither waits nor throws.
   *
   * @returns the request, or one whose results of tools are noted, too
   */
  record(request: RenderRequest): RenderRequest {
    const { prompt, definition, variables, isNew, snapshot, tools } = request
    if (prompt === undefined || isNew !== true || this.#items === undefined) return request
    const { share, perPrompt, now } = this.#options
    if (share < 1 && this.#random() >= share) return request
    let waiting = this.#waiting.get(prompt.id)
    if (waiting === undefined) {
      if (this.#waiting.size >= MAX_WAITING) return request
      waiting = { parameters: definition.parameters, sets: [], seen: 0 }
      this.#waiting.set(prompt.id, waiting)
    }
    // Of more than are kept, the last ones.
    const calls: RecordedCall[] = []
    const set: WaitingSet = { at: now(), variables, calls, isOpen: false }
    waiting.sets[waiting.seen % perPrompt] = set
    waiting.seen += 1
    if (tools !== undefined || snapshot.tools.size === 0) return request
    const onResult = ({ id }: ToolEntry, given: readonly JsonValue[], result: JsonValue) => {
      if (calls.length < MAX_CALLS) calls.push({ tool: id, arguments: given, result })
    }
    const noted: RenderRequest = { ...request, tools: { dryRun: 'false', onCall() {}, onResult } }
    set.isOpen = true
    this.#open.set(noted, set)
    return noted
  }

  /** Says that a request which `record` answered is rendered: what its tools answered is whole. */
  ended(noted: RenderRequest): void {
    const set = this.#open.get(noted)
    if (set !== undefined) set.isOpen = false
  }

  /** Writes what was noted, but for sets that are being rendered. @param isLast those, too */
  async flush(isLast = false): Promise<void> {
    const items = this.#items
    if (items === undefined) return
    const all = [...this.#waiting]
    this.#waiting.clear()
    const now = this.#options.now()
    // Decided once: a render may end while others are written.
    const open = new Set<WaitingSet>()
    for (const [prompt, { parameters, sets }] of all) {
      const waiting = sets.filter((set) => !isLast && set.isOpen && now - set.at < MAX_OPEN_MS)
      if (waiting.length > 0) this.#waiting.set(prompt, { parameters, sets: waiting, seen: waiting.length })
      for (const set of waiting) open.add(set)
    }
    try {
      for (const [prompt, { parameters, sets }] of all) {
        const mask = new SecretMask(parameters)
        const kept = sets.flatMap((set) => (open.has(set) ? [] : (keptOf(set, mask) ?? [])))
        if (kept.length === 0) continue
        const at = this.#options.now()
        await items.put(`${at}-${randomUUID()}`, { prompt, at, sets: kept })
      }
      if (all.length > 0 && this.#options.now() - this.#sweptAt > Math.min(SWEEP_MS, this.#options.ttlMs))
        await this.sweep()
    } catch (error) {
      this.#options.onLost(error)
    }
  }

  /** Removes what is too old or more than is kept. */
  async sweep(): Promise<void> {
    this.#sweptAt = this.#options.now()
    const counts = new Map<string, number>()
    for (const batch of await this.#batches()) {
      const count = counts.get(batch.prompt) ?? 0
      counts.set(batch.prompt, count + batch.sets.length)
      if (this.#isOld(batch.at) || count >= this.#options.perPrompt) await this.#items?.delete(batch.key)
    }
  }

  /** What is kept of a prompt, the newest first. */
  async read(prompt: string, last = this.#options.perPrompt): Promise<readonly RecordedSet[]> {
    await this.flush()
    const batches = (await this.#batches()).filter((batch) => batch.prompt === prompt)
    return batches
      .flatMap(({ sets }) => sets)
      .filter(({ at }) => !this.#isOld(at))
      .sort((one, other) => other.at - one.at)
      .slice(0, Math.min(last, this.#options.perPrompt))
  }

  /** Forgets what is kept of a prompt. @returns how many sets there were */
  async remove(prompt: string): Promise<number> {
    this.#waiting.delete(prompt)
    let removed = 0
    for (const { key, sets, ...batch } of await this.#batches()) {
      if (batch.prompt !== prompt) continue
      await this.#items?.delete(key)
      removed += sets.length
    }
    return removed
  }

  /** Writes what waits, and ends. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.flush(true)
    this.#items = undefined
  }

  #isOld(at: number): boolean {
    return at < this.#options.now() - this.#options.ttlMs
  }

  async #batches(): Promise<readonly Batch[]> {
    const found: Batch[] = []
    if (this.#items === undefined) return found
    for await (const page of this.#items.pages()) found.push(...page.map(toBatch))
    return found.sort((one, other) => other.at - one.at)
  }
}

/** Where recorded variables are in state. */
export const RECORDED = 'recorded-variables'

function toBatch({ id, value }: StoredItem): Batch {
  const sets = listField(value, 'sets').flatMap((set) =>
    isJsonObject(set)
      ? [
          {
            at: numberField(set, 'at') ?? 0,
            variables: objectField(set, 'variables'),
            calls: readRecordedCalls(set),
          },
        ]
      : [],
  )
  return { key: id, prompt: textField(value, 'prompt') ?? '', at: numberField(value, 'at') ?? 0, sets }
}

/** The recorded calls of a set, as state and the service's answers have them. */
export function readRecordedCalls(set: JsonObject): readonly RecordedCall[] {
  return listField(set, 'calls').flatMap((call) => {
    const tool = isJsonObject(call) ? textField(call, 'tool') : undefined
    const result = isJsonObject(call) ? own(call, 'result') : undefined
    if (tool === undefined || result === undefined || !isJsonObject(call)) return []
    return [{ tool, arguments: listField(call, 'arguments'), result }]
  })
}

/** A set as it is written; undefined for one that is too large. What tools answered goes first. */
function keptOf(
  { at, variables: given, calls }: Waiting['sets'][number],
  mask: SecretMask,
): JsonObject | undefined {
  const variables = mask.of(given)
  const text = stringifyJson(variables)
  if (text.length > MAX_SET) return undefined
  if (calls.length === 0 || variables !== given) return { at, variables }
  const noted = calls.map((call) => ({ ...call }))
  return text.length + stringifyJson(noted).length > MAX_SET
    ? { at, variables }
    : { at, variables, calls: noted }
}

/** A renderer that notes the variables of requests. Undefined where nothing is recorded. */
export function createRecordingRenderer(renderer: Renderer, recorder: VariableRecorder): Renderer {
  const { render, renderJson, trace, knows } = renderer
  return {
    render(request, call) {
      const noted = recorder.record(request)
      return ending(render(noted, call), noted, request, recorder)
    },
    renderJson(request, call) {
      const noted = recorder.record(request)
      return ending(renderJson(noted, call), noted, request, recorder)
    },
    trace,
    knows,
  }
}

/** A result that says to the recorder when it is there. */
function ending<Result>(
  result: Result,
  noted: RenderRequest,
  request: RenderRequest,
  recorder: VariableRecorder,
): Result {
  if (noted === request) return result
  const end = () => recorder.ended(noted)
  if (result instanceof Promise) result.then(end, end)
  else end()
  return result
}
