import type { Message } from '../conversation/message.js'
import { ServiceError } from '../errors.js'
import { readCompletion, readMessages } from '../llm/chat/read-completion.js'
import type { CallReport } from '../llm/model.js'
import { ModelError } from '../llm/model-error.js'
import { compileSchema, type SchemaCheck } from '../schema/json-schema.js'
import { errorMessage } from '../util/errors/error-message.js'
import { type JsonObject, type JsonValue, own, parseJson } from '../util/json/json.js'

/** One way in which an answer does not fit its schema. */
export interface Violation {
  /** Dotted path in the answer; empty for the whole. */
  readonly path: string
  readonly message: string
}

/** Checks the text of an answer; an empty list means that it fits. */
export type AnswerCheck = (text: string) => readonly Violation[]

const MAX_NAME_LENGTH = 64

/** The `response_format` that asks a model to follow a schema. */
export function toResponseFormat(promptName: string, schema: JsonObject): JsonObject {
  const name = promptName.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, MAX_NAME_LENGTH)
  return { type: 'json_schema', json_schema: { name: name === '' ? 'answer' : name, schema } }
}

/**
 * Compiles a prompt's `returns` schema.
 *
 * @throws ServiceError `invalid_prompt` when it is not a JSON Schema
 */
export function createAnswerCheck(schema: JsonObject): AnswerCheck {
  const check = compile(schema)
  return (text) => {
    const parsed = tryParse(text)
    if (parsed === undefined) return [{ path: '', message: 'is not JSON' }]
    return check(parsed.value).problems.map(({ path, message }) => ({ path: path.join('.'), message }))
  }
}

/**
 * The violations of all choices of a completion. A choice that calls tools or refuses says nothing in this form and
 * is left alone.
 */
export function findViolations(completion: JsonObject, check: AnswerCheck): readonly Violation[] {
  return readMessages(completion).flatMap((message) => {
    const content = own(message, 'content')
    if (typeof content === 'string') return check(content)
    const excused = own(message, 'tool_calls') ?? own(message, 'refusal') ?? null
    return excused === null ? check('') : []
  })
}

/** What is added to the conversation so that the model corrects its answer. */
export function repairMessages(completion: JsonObject, violations: readonly Violation[]): Message[] {
  const content = readCompletion(completion).text
  const list = violations.map(({ path, message }) => `- ${path === '' ? 'the answer' : path} ${message}`)
  return [
    { role: 'assistant', content },
    {
      role: 'user',
      content: `The answer does not fit the required JSON Schema:\n${list.join('\n')}\nAnswer again, with the corrected JSON only.`,
    },
  ]
}

/** The error for an answer that does not fit. */
export function badAnswer(violations: readonly Violation[], report: CallReport): ModelError {
  const [first] = violations
  const where = first === undefined || first.path === '' ? 'the answer' : first.path
  const message = `The model's answer does not fit the schema: ${where} ${first?.message}`
  return new ModelError('llm_bad_response', message, {
    report,
    details: { violations, attempts: report.attempts },
    headers: { 'x-should-retry': 'false' },
  })
}

function compile(schema: JsonObject): SchemaCheck {
  try {
    return compileSchema(schema)
  } catch (cause) {
    const message = `\`returns\` is not a JSON Schema: ${errorMessage(cause)}`
    throw new ServiceError('invalid_prompt', message, { cause, param: 'returns' })
  }
}

function tryParse(text: string): { readonly value: JsonValue } | undefined {
  try {
    return { value: parseJson(text) }
  } catch {
    return undefined
  }
}
