import type { Message } from '../../conversation/message.js'
import { newCallId } from '../../conversation/tool-calls.js'
import { ServiceError } from '../../errors.js'
import { type CompletionContent, readCompletion } from '../../llm/chat/read-completion.js'
import { readStream } from '../../llm/chat/read-stream.js'
import { askingForUsage } from '../../llm/chat/stream-usage.js'
import type { CallOptions, ChatRequest, Completion, Usage } from '../../llm/model.js'
import { isContextOverflow } from '../../llm/model-error.js'
import type { Part, ToolProtocol } from '../../protocols/protocol.js'
import { readAnswerText } from '../../protocols/read-answer-text.js'
import { type Tool, toFunctionDefinition } from '../../tools/toolbox.js'
import { own } from '../../util/json/json.js'
import { pause } from '../../util/slices/pause.js'
import { MAX_NATIVE_CALLS } from '../limits.js'
import type { CycleSetup } from './cycle-setup.js'
import type { WrittenCall } from './prepare-calls.js'
import { StreamedAnswer } from './streamed-answer.js'
import type { EventError } from './turn-event.js'

/** How often an answer that was cut off inside a call is asked for again, each time with more room. */
const LENGTH_RETRIES = 2
const MORE_PERCENT = 10
/** A longer text was read for a while, and is put together in a turn of its own. */
const LONG_TEXT = 65_536
/** Of an answer that has no message. */
const SILENT: Message = { role: 'assistant', content: '' }

/** An answer as the loop sees it, whatever the protocol. */
export interface ModelAnswer extends Pick<CompletionContent, 'text' | 'finishReason' | 'usage'> {
  /** As the model wrote it; of a text protocol without its calls and thoughts. */
  readonly message: Message
  readonly calls: readonly WrittenCall[]
  /** What a text protocol made of it, malformed calls too; empty for native calls. */
  readonly parts: readonly Part[]
  /** In the currency of the configured prices, where there are any. */
  readonly cost: number | undefined
  /** The whole of what it wrote, tags too: the answer when nothing can be made of them. */
  readonly raw: string
}

/** Called for every answer, including answers that are requested again. */
export type CountUsage = (answer: ModelAnswer) => void

/**
 * Asks the model until it says something usable: once more after nothing at all, once more after a stream that broke,
 * and with more room after a call that was cut off. `overflow` when the provider says the request is too long.
 *
 * @throws ServiceError `llm_bad_response` for an empty answer, and as the model does
 */
export async function askModel(
  setup: CycleSetup,
  first: ChatRequest,
  tools: readonly Tool[],
  count: CountUsage,
): Promise<ModelAnswer | 'overflow'> {
  let request = first
  let lengthRetries = 0
  let isRetried = false
  for (let attempt = 1; ; attempt += 1) {
    const answer = await tryModel(setup, request, tools, !isRetried)
    if (answer === 'overflow') return answer
    if (answer !== 'broken') count(answer)
    const problem = answer === 'broken' ? 'stream' : problemOf(setup, answer, lengthRetries)
    if (answer !== 'broken' && (problem === undefined || (problem === 'empty' && isRetried)))
      return usable(answer)
    if (answer !== 'broken' && problem === 'length') {
      lengthRetries += 1
      request = withMoreRoom(request, answer.usage)
    } else isRetried = true
    setup.emit({ type: 'rollback', reason: problem ?? 'stream', attempt })
  }
}

/** A stream that breaks before its first event was retried below; one that breaks later may be asked for once more. */
async function tryModel(
  setup: CycleSetup,
  request: ChatRequest,
  tools: readonly Tool[],
  mayRetry: boolean,
): Promise<ModelAnswer | 'overflow' | 'broken'> {
  const progress = { started: false }
  try {
    return await callModel(setup, request, tools, progress)
  } catch (error) {
    if (isContextOverflow(error)) return 'overflow'
    if (progress.started && setup.mayRollBack && mayRetry && !setup.call.signal.aborted) return 'broken'
    throw error
  }
}

function problemOf(
  setup: CycleSetup,
  answer: ModelAnswer,
  lengthRetries: number,
): 'length' | 'empty' | undefined {
  const isCutOff = answer.finishReason === 'length' && (answer.calls.length > 0 || hasMalformed(answer))
  if (isCutOff && lengthRetries < LENGTH_RETRIES && mayTakeBack(setup, answer)) return 'length'
  return isEmpty(answer) ? 'empty' : undefined
}

/** Whether a message may be retracted: not if readers have seen parts of it and cannot be asked to discard them. */
export function mayTakeBack(
  { mayRollBack, streamed }: Pick<CycleSetup, 'mayRollBack' | 'streamed'>,
  { text }: Pick<ModelAnswer, 'text'>,
): boolean {
  return mayRollBack || !streamed || text === ''
}

function usable(answer: ModelAnswer): ModelAnswer {
  if (isEmpty(answer)) throw new ServiceError('llm_bad_response', 'The model returned an empty answer twice')
  return answer
}

function isEmpty(answer: ModelAnswer): boolean {
  return answer.text.trim() === '' && answer.calls.length === 0 && !hasMalformed(answer)
}

function hasMalformed({ parts }: ModelAnswer): boolean {
  return parts.some(({ kind }) => kind === 'malformed')
}

function withMoreRoom(request: ChatRequest, usage: Usage | undefined): ChatRequest {
  const name = own(request, 'max_completion_tokens') === undefined ? 'max_tokens' : 'max_completion_tokens'
  const given = own(request, name)
  const tokens = typeof given === 'number' ? given : usage?.outputTokens
  return tokens === undefined
    ? request
    : { ...request, [name]: Math.ceil((tokens * (100 + MORE_PERCENT)) / 100) }
}

/** Asks once, streamed or whole; deltas go to the turn's readers without any tag of the protocol. */
async function callModel(
  setup: CycleSetup,
  request: ChatRequest,
  tools: readonly Tool[],
  progress: { started: boolean },
): Promise<ModelAnswer> {
  const options: CallOptions = {
    signal: setup.call.signal,
    requestId: setup.call.requestId,
    traceparent: setup.call.traceparent,
    onRetry: ({ attempt, error }) => {
      setup.emit({ type: 'retry', attempt, error: toWireError(error) })
    },
  }
  const read = setup.streamed
    ? await readWhileStreaming(setup, request, options, tools, progress)
    : readWhole(await setup.model.complete(request, options))
  if (read.completion.text.length > LONG_TEXT) await pause()
  return setup.protocol === undefined ? nativeAnswer(read) : textAnswer(read, setup.protocol, tools)
}

/** The request of one step. */
export function toRequest(setup: CycleSetup, view: readonly Message[], tools: readonly Tool[]): ChatRequest {
  const isNative = setup.protocol === undefined
  if (isNative && tools.length > 0)
    return { ...setup.request, messages: view, tools: tools.map(toFunctionDefinition) }
  // Providers reject options about tools when a request has no tools.
  const { tool_choice: _choice, parallel_tool_calls: _parallel, model, ...rest } = setup.request
  return { ...rest, messages: view, model }
}

interface Read {
  readonly completion: CompletionContent
  readonly cost: number | undefined
  /** What a text protocol made of a stream while it came. */
  readonly parts?: readonly Part[]
}

function readWhole({ body, cost }: Completion): Read {
  return { completion: readCompletion(body), cost }
}

async function readWhileStreaming(
  setup: CycleSetup,
  request: ChatRequest,
  options: CallOptions,
  tools: readonly Tool[],
  progress: { started: boolean },
): Promise<Read> {
  // Budgets count tokens, and most upstreams count those of a stream only where they are asked.
  const stream = await setup.model.stream(askingForUsage({ ...request, stream: true }), options)
  const answer = new StreamedAnswer(setup.protocol, tools, setup.emit)
  for await (const event of readStream(stream.events)) {
    progress.started = true
    const turn = answer.add(event)
    if (turn !== undefined) await turn
  }
  const { completion, parts } = answer.end()
  const usage = completion.usage ?? stream.usage()
  return { completion: { ...completion, usage }, cost: stream.cost?.(), parts }
}

function nativeAnswer({ completion, cost }: Read): ModelAnswer {
  const { message = SILENT, text, toolCalls, finishReason, usage } = completion
  const calls = toolCalls.slice(0, MAX_NATIVE_CALLS).map(({ id, function: { name, arguments: args } }) => ({
    id,
    name,
    arguments: args,
  }))
  return { message, text, calls, parts: [], finishReason, usage, cost, raw: text }
}

/** Calls and thoughts are taken out of the text; what is left is what the model said. */
async function textAnswer(read: Read, protocol: ToolProtocol, tools: readonly Tool[]): Promise<ModelAnswer> {
  const { message = SILENT, text: raw, finishReason, usage } = read.completion
  const parts = read.parts ?? (await readAnswerText(protocol.parser(tools), raw))
  const text = parts
    .map((part) => (part.kind === 'text' ? part.text : ''))
    .join('')
    .trim()
  const calls = parts.flatMap((part) => (part.kind === 'call' ? toWritten(part) : []))
  return {
    ...{ message: { ...message, content: text }, text, calls, parts },
    ...{ finishReason, usage, cost: read.cost, raw },
  }
}

function toWritten({ name, server, arguments: args }: Extract<Part, { kind: 'call' }>): WrittenCall {
  return { id: newCallId(), name, ...(server !== undefined && { server }), arguments: args }
}

function toWireError(error: Error): EventError {
  return { code: error instanceof ServiceError ? error.code : 'llm_unavailable', message: error.message }
}
