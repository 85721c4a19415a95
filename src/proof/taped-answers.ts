import { join } from 'node:path'
import { ERRORS, ServiceError } from '../errors.js'
import { readCompletion } from '../llm/chat/read-completion.js'
import { costOf, type PriceTable } from '../llm/cost.js'
import type { AnsweringModel, ModelRequest } from '../llm/model.js'
import { createTapeUpstream } from '../llm/tapes/tape-upstream.js'
import type { Upstream } from '../llm/upstream.js'
import { UpstreamError } from '../transport/upstream-error.js'
import type { CallContext } from '../util/call-context.js'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../util/json/json.js'
import { listField, numberField, objectField } from '../util/json/json-fields.js'
import { systemClock } from '../util/time/clock.js'

/** What a model answered, as assertions look at it. */
export interface TestAnswer {
  /** The text, or without one the tool calls. */
  readonly output: JsonValue
  readonly text: string
  readonly finishReason: string | undefined
  readonly cost: number | undefined
  /** Functions that the model could call, in OpenAI's form. */
  readonly functions: readonly JsonObject[]
}

/** Answers tests: from tapes beside their files, and from a model where they are recorded. */
export interface TapedAnswers {
  /**
   * @param folder of the test file
   * @throws ServiceError `tape_miss` for what was not recorded, and as the model's
   */
  ask(folder: string, request: ModelRequest, call: CallContext): Promise<TestAnswer>
}

/** What answers are made of. */
export interface TapedAnswersOptions {
  /** Answers what is not on a tape; undefined: nobody does. */
  readonly recorded: AnsweringModel | undefined
  /** Of requests that name no model. */
  readonly defaultModel: string | undefined
  readonly prices: PriceTable
  /** Texts that no tape has. */
  readonly secrets: readonly string[]
}

/** Beside the test file, as snapshots are. */
const FOLDER = '__tapes__'

/** What a request without a model has on its tape, so that a machine that names none has the same one. */
export const UNNAMED = 'default'

/** Opens the answers of tests. */
export function openTapedAnswers(options: TapedAnswersOptions): TapedAnswers {
  const upstreams = new Map<string, Upstream>()
  const open = (folder: string): Upstream => {
    const known = upstreams.get(folder)
    if (known !== undefined) return known
    const upstream = createTapeUpstream({
      name: 'tapes',
      folder: join(folder, FOLDER),
      mode: options.recorded === undefined ? 'replay' : 'record',
      ignore: [],
      secrets: options.secrets,
      keepsTimes: false,
      of: recordedBy(options),
      clock: systemClock,
    })
    upstreams.set(folder, upstream)
    return upstream
  }
  return {
    async ask(folder, request, call) {
      const { body } = await open(folder).complete(request, call)
      return readTestAnswer(request, body, options)
    },
  }
}

/**
 * Answers tests by asking the model each time; nothing is kept.
 *
 * @param onTokens called with the tokens of each answer and its question
 */
export function openLiveAnswers(
  options: TapedAnswersOptions,
  onTokens: (tokens: number) => void,
): TapedAnswers {
  const model = recordedBy(options)
  if (model === undefined) throw new RangeError('answers need a model')
  return {
    async ask(_folder, request, call) {
      const { body } = await model.complete(request, call)
      const { usage } = readCompletion(body)
      onTokens((usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0))
      return readTestAnswer(request, body, options)
    },
  }
}

function recordedBy({ recorded, defaultModel = UNNAMED }: TapedAnswersOptions) {
  if (recorded === undefined) return undefined
  const named = (request: ModelRequest) =>
    request.model === UNNAMED ? { ...request, model: defaultModel } : request
  const of: Pick<Upstream, 'complete' | 'stream'> = {
    complete: (request, call) => recorded.complete(named(request), call).catch(asRefusal),
    stream: (request, call) => recorded.stream(named(request), call),
  }
  return of
}

/** What was refused is refused again: a tape keeps it. */
function asRefusal(error: unknown): never {
  if (!(error instanceof ServiceError) || error.code !== 'llm_rejected') throw error
  const details = isJsonObject(error.details) ? error.details : {}
  const status = numberField(details, 'upstream_status') ?? ERRORS.llm_rejected.status
  throw new UpstreamError('status', error.message, { status, cause: error })
}

function readTestAnswer(
  request: ModelRequest,
  body: JsonObject,
  { prices, defaultModel = UNNAMED }: TapedAnswersOptions,
): TestAnswer {
  const { text, toolCalls, usage, finishReason } = readCompletion(body)
  const asked = request.model === UNNAMED ? defaultModel : request.model
  const calls = toolCalls.map((call): JsonValue => ({ ...call }))
  return {
    output: text === '' && calls.length > 0 ? calls : text,
    text,
    finishReason,
    cost: costOf(prices, asked, usage) ?? costOf(prices, String(own(body, 'model')), usage),
    functions: listField(request, 'tools').flatMap((tool) =>
      isJsonObject(tool) ? [objectField(tool, 'function')] : [],
    ),
  }
}
