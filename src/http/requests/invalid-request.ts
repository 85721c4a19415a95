import { ServiceError } from '../../errors.js'
import type { SchemaProblem, SchemaVerdict } from '../../schema/check/schema-problem.js'
import { reportedProblems } from '../../schema/reported-problems.js'
import { nearNames } from '../../util/errors/near-names.js'
import { isJsonObject, type JsonObject, type JsonValue, own, stringifyJson } from '../../util/json/json.js'
import { listField } from '../../util/json/json-fields.js'

/** The error for a part of a request that does not fit its schema: the first problem in words, all in the details. */
export function invalidRequest(
  { problems, omittedCount }: SchemaVerdict,
  where: string,
  schema: JsonObject = {},
): ServiceError {
  const details = reportedProblems(problems).map((problem, index) => ({
    path: pathOf(problem, where),
    message: `${wordsOf(problem)}${index < MAX_HINTS ? meant(problem, schema) : ''}`,
  }))
  const [first = { path: where, message: 'is invalid' }] = details
  const isUnknown = UNKNOWN.test(first.message)
  const sentence = isUnknown ? first.message.replace('unknown', 'Unknown') : `${first.path} ${first.message}`
  const others = details.length - 1 + omittedCount
  const more = others > 0 ? ` (and ${others} more)` : ''
  return new ServiceError('invalid_request', `${sentence}${more}`, {
    param: first.path,
    details,
    omittedCount,
  })
}

/** A field of a request that its route does not have. */
const UNKNOWN = /^unknown field /
/** This many problems get a hint. */
const MAX_HINTS = 5

/** For a field of the wrong type an example; for an unknown field the most similar one, or where it belongs. */
function meant({ path, keyword, params }: SchemaProblem, schema: JsonObject): string {
  const name = params['additionalProperty']
  const known = own(schema, 'properties')
  const [field] = path
  if (keyword === 'type' && field !== undefined && path.length === 1 && isJsonObject(known))
    return suchAs(own(known, field))
  if (typeof name !== 'string' || path.length > 0 || !isJsonObject(known)) return ''
  const [near = otherName(name, known)] = nearNames(name, Object.keys(known))
  if (near !== undefined) return `. Did you mean ${JSON.stringify(near)}?`
  return Object.hasOwn(known, 'variables') ? '. Variables of the prompt go into "variables"' : ''
}

/** What other services call the text of a turn or a task. */
const NAMES_OF_INPUT: ReadonlySet<string> = new Set([
  'message',
  'messages',
  'content',
  'text',
  'prompt',
  'query',
])
const INPUTS = ['input', 'task_description']

function otherName(name: string, known: JsonObject): string | undefined {
  return NAMES_OF_INPUT.has(name) ? INPUTS.find((each) => Object.hasOwn(known, each)) : undefined
}

/** `, such as {"userPrompt":"Hello"}`, where the field's schema has an example. */
function suchAs(field: JsonValue | undefined): string {
  const [example] = isJsonObject(field) ? listField(field, 'examples') : []
  return example === undefined ? '' : `, such as ${stringifyJson(example)}`
}

function pathOf({ path, params }: SchemaProblem, where: string): string {
  const missing = params['missingProperty']
  const parts = typeof missing === 'string' ? [...path, missing] : path
  return parts.length === 0 ? where : parts.join('.')
}

/** Of what is missing the path says the name, of what is unknown the message. */
function wordsOf({ message, params }: SchemaProblem): string {
  const unknown = params['additionalProperty']
  if (typeof unknown === 'string') return `unknown field ${JSON.stringify(unknown)}`
  return typeof params['missingProperty'] === 'string' ? 'is required' : message
}
