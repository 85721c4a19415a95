import type { History, StoredMessage } from '../../conversation/history.js'
import type { Message } from '../../conversation/message.js'
import type { CallUsage } from '../../llm/usage.js'
import { type Tool, toFunctionDefinition } from '../../tools/toolbox.js'
import { own, stringifyJson } from '../../util/json/json.js'
import { sizeOfJson } from '../../util/json/size-of-json.js'
import { lowerBound } from '../../util/lower-bound.js'
import { newId } from '../../util/new-id.js'
import { CHARACTERS_PER_TOKEN, estimateTokens } from '../../util/text/estimate-tokens.js'
import { MAX_UNSUMMARIZED_CHARACTERS } from '../limits.js'
import { summarize, summaryMessage } from '../summarize.js'
import type { CycleSetup, MessageWriter } from './cycle-setup.js'
import type { CycleState } from './cycle-state.js'

/** A pass that saves less than this part makes no progress. */
const LEAST_SAVING = 0.05
/** What a new message may take beyond its estimate. */
const NEW_MESSAGE_FACTOR = 1.5
/** Room for what no estimate sees: roles, separators, the tools' own format. */
const MARGIN_TOKENS = 1000
/** What a model reads in place of a tool result that was left out. */
const OMITTED_RESULT = 'Tool result is omitted to save tokens.'

/** The conversation's size as the last answer reported it. */
export interface LastSize {
  /** How many messages of the view it covers, its own answer included. */
  readonly messages: number
  /** Prompt and completion together, in tokens. */
  readonly tokens: number
}

/** How a history is shown to a model. */
export interface ViewOptions {
  /** The system message's text; undefined when the history brings its own. */
  readonly system: string | undefined
  /** How many of the newest tool results to show; -1 shows all. */
  readonly keepToolResults: number
  /** Has read the history; undefined for a native protocol. */
  readonly writer: MessageWriter | undefined
}

/** The view of one step, and what was done to make it fit. */
export interface Fitted {
  readonly view: readonly Message[]
  /** A message to store: it replaces the beginning of the history. */
  readonly summary?: StoredMessage
  readonly summaryUpTo?: number
  /** By the calls that wrote the summary. */
  readonly spent?: readonly CallUsage[]
  /** Nothing helped: only a last answer is left. */
  readonly overflows: boolean
}

/** What a request is measured by. */
interface Measure {
  readonly window: number
  /** False where the window is only a bound of what is sent: then characters are counted, in place of tokens. */
  readonly isNamed: boolean
  readonly last: LastSize | undefined
  readonly maxTokens: number
  /** Tokens of the tools' definitions. */
  readonly tools: number
}

/**
 * Makes the conversation fit the model's context: first older tool results go, then older messages become a summary.
 * Where the agent names no window this begins at four million characters, or when the provider refuses a request, as
 * `state.counters.overflows` says. A promise only where a model writes a summary.
 */
export function fitHistory(
  setup: CycleSetup,
  history: History,
  state: CycleState,
  last: LastSize | undefined,
  tools: readonly Tool[],
): Fitted | Promise<Fitted> {
  const system = systemText(setup, tools)
  const whole = viewOf(setup, history, system, setup.context.keepToolResults)
  const named = measureOf(setup, last, tools)
  const before = estimate(whole, named, true)
  const measure = narrowed(named, before, state.counters.overflows)
  if (state.ending === 'context') return { view: smallest(setup, history, system, measure), overflows: false }
  if (before < measure.window) return { view: whole, overflows: false }
  const pruned = viewOf(setup, history, system, newestGroupSize(history))
  const afterPrune = estimate(pruned, measure, false)
  if (saves(before, afterPrune) && afterPrune < measure.window) {
    return announced(setup, before, afterPrune, { view: pruned, overflows: false })
  }
  return summarise(setup, history, { system, measure, before, pruned })
}

interface SummaryTask {
  readonly system: string | undefined
  readonly measure: Measure
  readonly before: number
  readonly pruned: readonly Message[]
}

async function summarise(setup: CycleSetup, history: History, task: SummaryTask): Promise<Fitted> {
  const upTo = summaryBoundary(history)
  const stuck = { view: task.pruned, overflows: true }
  if (!setup.context.compact || upTo <= (history.summaryUpTo ?? 0)) return stuck
  const old: History = { ...history, messages: history.messages.slice(0, upTo) }
  const { text, spent } = await summarize({
    model: setup.model,
    request: setup.request,
    messages: viewOf(setup, old, undefined, setup.context.keepToolResults),
    prompt: setup.prompts.summary,
    limit: task.measure.window,
    call: setup.call,
  })
  if (text === undefined) return { ...stuck, spent }
  const summary = toSummary(text, history, setup.turn)
  const shortened: History = { messages: [...history.messages, summary], summaryUpTo: upTo }
  const view = viewOf(setup, shortened, task.system, newestGroupSize(history))
  const after = estimate(view, task.measure, false)
  const fits = saves(task.before, after) && after < task.measure.window
  return announced(setup, task.before, after, { view, summary, summaryUpTo: upTo, spent, overflows: !fits })
}

/** What is left when nothing else helps: no tool result is shown, and the oldest messages go until it fits. */
function smallest(
  setup: CycleSetup,
  history: History,
  system: string | undefined,
  measure: Measure,
): readonly Message[] {
  const view = viewOf(setup, history, system, 0)
  const head = view.filter(({ role }) => role === 'system' || role === 'developer')
  const rest = view.slice(head.length)
  // A call and its results go together.
  const beginnings = rest.flatMap(({ role }, index) => (role === 'tool' && index > 0 ? [] : [index]))
  const from = (begin: number | undefined) => [...head, ...rest.slice(begin)]
  const fits = (begin: number) => estimate(from(begin), measure, false) < measure.window
  return from(beginnings[lowerBound(beginnings.slice(0, -1), fits)])
}

/** Where a summary may end: before the newest user message, or, in a turn's own calls, before the newest group. */
function summaryBoundary({ messages, summaryUpTo = 0 }: History): number {
  const lastUser = messages.findLastIndex(({ message }) => message.role === 'user')
  if (lastUser > summaryUpTo) return lastUser
  const lastCalls = messages.findLastIndex(({ message }) => message.tool_calls !== undefined)
  return Math.max(lastCalls, summaryUpTo)
}

function toSummary(text: string, { messages }: History, turn: number): StoredMessage {
  return {
    id: newId(),
    turn: messages.at(-1)?.turn ?? turn,
    kind: 'summary',
    message: summaryMessage(text),
  }
}

/** How many tool results the newest calls have: these are always shown. */
function newestGroupSize({ messages }: History): number {
  const lastOther = messages.findLastIndex(({ kind }) => kind !== 'tool_result')
  return messages.length - 1 - lastOther
}

function viewOf(
  { writer }: CycleSetup,
  history: History,
  system: string | undefined,
  keepToolResults: number,
): readonly Message[] {
  return toView(history, { system, keepToolResults, writer })
}

/** The system message: who the model is, then how it calls tools. */
function systemText({ system, protocol, clock }: CycleSetup, tools: readonly Tool[]): string | undefined {
  if (protocol === undefined || tools.length === 0) return system
  const instructions = protocol.instructions(tools, new Date(clock.now()))
  // A system prompt of the catalog may have put them where it wants them.
  if (system?.includes(instructions) === true) return system
  return [system, instructions].filter((text) => text !== undefined && text !== '').join('\n\n')
}

function measureOf(
  { context, request, protocol }: CycleSetup,
  last: LastSize | undefined,
  tools: readonly Tool[],
): Measure {
  const maxTokens = own(request, 'max_completion_tokens') ?? own(request, 'max_tokens')
  return {
    window: context.window ?? MAX_UNSUMMARIZED_CHARACTERS / CHARACTERS_PER_TOKEN,
    isNamed: context.window !== undefined,
    last,
    maxTokens: typeof maxTokens === 'number' ? maxTokens : 0,
    tools:
      context.window === undefined || protocol !== undefined
        ? 0
        : estimateTokens(stringifyJson(tools.map(toFunctionDefinition))),
  }
}

/** A provider that refused a request takes less than it had: half of it, then a quarter. */
function narrowed(measure: Measure, refused: number, refusals: number): Measure {
  return refusals === 0 ? measure : { ...measure, window: Math.min(measure.window, refused / 2 ** refusals) }
}

/** What the provider counted holds only for the view it was shown. */
function estimate(
  view: readonly Message[],
  { isNamed, last, maxTokens, tools }: Measure,
  isSameView: boolean,
): number {
  if (!isNamed) return view.reduce((size, message) => size + sizeOfJson(message), 0) / CHARACTERS_PER_TOKEN
  const known = isSameView ? last : undefined
  return estimateView(view, known, maxTokens) + (known === undefined ? tools : 0)
}

function saves(before: number, after: number): boolean {
  return after <= before * (1 - LEAST_SAVING)
}

function announced(setup: CycleSetup, before: number, after: number, fitted: Fitted): Fitted {
  setup.emit({ type: 'compacted', tokens_before: Math.ceil(before), tokens_after: Math.ceil(after) })
  return fitted
}

/**
 * How many tokens a request will take, without a tokenizer: what the provider last counted, and what came since,
 * rather too much than too little.
 */
function estimateView(view: readonly Message[], last: LastSize | undefined, maxTokens: number): number {
  const known = last === undefined || last.messages > view.length ? { messages: 0, tokens: 0 } : last
  const added = view.slice(known.messages).reduce((sum, message) => sum + estimateMessage(message), 0)
  return Math.ceil(known.tokens + NEW_MESSAGE_FACTOR * added + maxTokens + MARGIN_TOKENS)
}

/** One message's tokens: its text as it is, anything else as JSON. */
function estimateMessage({ content, tool_calls }: Message): number {
  const text = typeof content === 'string' ? content : stringifyJson(content ?? '')
  return estimateTokens(text) + (tool_calls === undefined ? 0 : estimateTokens(stringifyJson(tool_calls)))
}

/** The messages to send: a copy made for one request. What is stored stays whole. */
export function toView(
  history: History,
  { system, keepToolResults, writer }: ViewOptions,
): readonly Message[] {
  const shown = omitOldResults(visible(history), keepToolResults)
  const messages = writer === undefined ? shown : writer.write(shown)
  return system === undefined || system === '' ? messages : [{ role: 'system', content: system }, ...messages]
}

/** The newest summary in place of the messages that it covers, then everything after them. */
function visible({ messages, summaryUpTo = 0 }: History): readonly StoredMessage[] {
  if (summaryUpTo === 0) return messages
  const summary = messages.findLast(({ kind }) => kind === 'summary')
  const rest = messages.slice(summaryUpTo).filter(({ kind }) => kind !== 'summary')
  return summary === undefined ? rest : [...leadingSystem(messages), summary, ...rest]
}

/** System messages stay, whatever a summary covers. */
function leadingSystem(messages: readonly StoredMessage[]): readonly StoredMessage[] {
  const end = messages.findIndex(({ message: { role } }) => role !== 'system' && role !== 'developer')
  return messages.slice(0, end === -1 ? messages.length : end)
}

function omitOldResults(messages: readonly StoredMessage[], keep: number): readonly Message[] {
  if (keep < 0) return messages.map(({ message }) => message)
  let left = keep
  return messages
    .toReversed()
    .map(({ kind, message }) => {
      if (kind !== 'tool_result') return message
      left -= 1
      return left >= 0 ? message : { ...message, content: OMITTED_RESULT }
    })
    .reverse()
}
