import type { Message } from '../../conversation/message.js'
import { ServiceError } from '../../errors.js'
import { readCompletion } from '../../llm/chat/read-completion.js'
import { isEcho } from '../../llm/echo.js'
import type { CallOptions, ChatRequest, Usage } from '../../llm/model.js'
import { describeVerdict, type SchemaCheck } from '../../schema/json-schema.js'
import { type JsonObject, parseObject } from '../../util/json/json.js'
import { jsonObjectsIn } from '../../util/json/json-objects-in.js'
import type { HookedModel } from '../hooked-model.js'
import { MAX_OBJECT_CHARACTERS } from '../limits.js'

/** How a model is asked for an object. */
export interface ObjectRequest {
  readonly model: HookedModel
  /** The request without its messages. */
  readonly request: JsonObject & { readonly model: string }
  readonly messages: readonly Message[]
  readonly check: SchemaCheck
  readonly options: CallOptions
  readonly count: (usage: Usage | undefined, model: string, cost: number | undefined) => void
  /** How often an answer that does not fit is asked for again; default once. */
  readonly repairs?: 0 | 1
}

/**
 * Asks for an object that fits a schema. The answer may be bare JSON, or JSON in a code fence or within text: the object
 * that fits counts. One that does not fit is asked for once more, with what is wrong.
 *
 * @throws ServiceError `llm_bad_response` when the last answer does not fit either, and as the model does
 */
export async function askObject(request: ObjectRequest): Promise<JsonObject> {
  const first = await ask(request, request.messages)
  const read = readObject(first, request.check)
  if (read.ok) return read.value
  if (request.repairs === 0) throw unusable(read.problem, request)
  const second = await ask(request, [
    ...request.messages,
    { role: 'assistant', content: first },
    { role: 'user', content: correctionOf(read.problem) },
  ])
  const again = readObject(second, request.check)
  if (again.ok) return again.value
  throw unusable(again.problem, request)
}

function unusable(problem: string, { request }: ObjectRequest): ServiceError {
  const advice = isEcho(request.model) ? `; ${ECHO_ADVICE}` : ''
  return new ServiceError(
    'llm_bad_response',
    `The model's answer does not fit the schema: ${problem}${advice}`,
  )
}

const ECHO_ADVICE =
  'the echo model only repeats what it is asked: set LLM_BASE_URL and LLM_MODEL, or name an agent with another model'

/** An object of a text that fits, or what is wrong with the best there is. */
export type AnsweredObject =
  | { readonly ok: true; readonly value: JsonObject }
  | { readonly ok: false; readonly problem: string }

/** Finds the object a text is meant to be: the text itself, else the first object in it that fits. */
export function readObject(text: string, check: SchemaCheck): AnsweredObject {
  if (text.length > MAX_OBJECT_CHARACTERS)
    return { ok: false, problem: `it is longer than ${MAX_OBJECT_CHARACTERS} characters` }
  let problem = 'it holds no JSON object'
  for (const [index, value] of candidatesIn(text).entries()) {
    const verdict = check(value)
    if (verdict.problems.length === 0) return { ok: true, value }
    if (index === 0) problem = describeVerdict(verdict, 'answer')
  }
  return { ok: false, problem }
}

function candidatesIn(text: string): readonly JsonObject[] {
  const whole = parseObject(text)
  // Otherwise there are words around it, or the JSON needs mending.
  return whole === undefined ? jsonObjectsIn(text) : [whole]
}

async function ask(
  { model, request, options, count }: ObjectRequest,
  messages: readonly Message[],
): Promise<string> {
  const chat: ChatRequest = { ...request, messages }
  const completion = await model.complete(chat, options)
  count(completion.usage, completion.report.model, completion.cost)
  return readCompletion(completion.body).text
}

function correctionOf(problem: string): string {
  return `Your answer cannot be used: ${problem}. Answer again with nothing but one JSON object that fits the schema.`
}
