import { ServiceError } from '../../errors.js'
import type { ChatRequest, Usage } from '../../llm/model.js'
import { isContextOverflow } from '../../llm/model-error.js'
import type { Tool } from '../../tools/toolbox.js'
import { own } from '../../util/json/json.js'
import { callModel, type ModelAnswer } from './call-model.js'
import type { CycleSetup } from './cycle-setup.js'
import { mayTakeBack } from './judge-answer.js'

/** How often an answer that was cut off inside a call is asked for again, each time with more room. */
const LENGTH_RETRIES = 2
const MORE_PERCENT = 10

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
