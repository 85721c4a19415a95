import { ANTHROPIC_ERROR_CODES, ENTRY_ERRORS, ERROR_CODES } from '../../schema/error-answers.js'
import type { JsonObject } from '../../util/json/json.js'
import { listField, objectField, textsOf } from '../../util/json/json-fields.js'
import { mapFields, mapOperations } from './map-operations.js'

/** What the names of error answers begin with, by their status. */
const STATUS_NAMES: Readonly<Record<string, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Gone',
  412: 'PreconditionFailed',
  413: 'PayloadTooLarge',
  415: 'UnsupportedMediaType',
  429: 'TooManyRequests',
  500: 'ServerError',
  502: 'BadGateway',
  503: 'Unavailable',
  529: '',
}

/** Codes of which an answer's name says nothing: its status does. */
const IMPLIED: ReadonlySet<string> = new Set([
  ...ENTRY_ERRORS,
  'invalid_request',
  'revision_changed',
  'payload_too_large',
  'unsupported_media_type',
  'template_error',
  'llm_unavailable',
  'not_ready',
])

/** Each error answer once, among the components, called by its status and codes. @throws Error for two of one name */
export function shareErrors(document: JsonObject): JsonObject {
  const shared = new Map<string, JsonObject>()
  const paths = mapOperations(document, (operation, { path }) => ({
    ...operation,
    responses: mapFields(objectField(operation, 'responses'), (response, status) => {
      if (!/^[45]/.test(status)) return response
      const { name, answer } = namedAnswer(response, status, path)
      const known = shared.get(name)
      if (known !== undefined && JSON.stringify(known) !== JSON.stringify(answer))
        throw new Error(`Two error answers are called ${name}`)
      shared.set(name, answer)
      return { $ref: `#/components/responses/${name}` }
    }),
  }))
  const responses = Object.fromEntries([...shared].sort(([a], [b]) => (a < b ? -1 : 1)))
  return { ...document, paths, components: { ...objectField(document, 'components'), responses } }
}

/** An answer without the list of its codes, and the name made of them. */
function namedAnswer(response: JsonObject, status: string, path: string) {
  const content = objectField(response, 'content')
  const media = objectField(content, 'application/json')
  const { [ERROR_CODES]: _own, [ANTHROPIC_ERROR_CODES]: _anthropic, ...rest } = media
  const codes = [...listField(media, ERROR_CODES), ...listField(media, ANTHROPIC_ERROR_CODES)]
  const words = new Set(textsOf(codes).map(wordsOf))
  const family = Object.hasOwn(media, ANTHROPIC_ERROR_CODES) ? 'Anthropic' : ''
  // The answers of /v1 have headers of their own.
  const prefix = family === '' && path.startsWith('/v1/') ? 'V1' : family
  return {
    name: `${prefix}${STATUS_NAMES[status] ?? 'Error'}${[...words].join('')}`,
    answer: { ...response, content: { ...content, 'application/json': rest } },
  }
}

/** `prompt_not_found` → `Prompt`. */
function wordsOf(code: string): string {
  if (IMPLIED.has(code)) return ''
  const subject = code.replace(/^(?:invalid|missing)_|_(?:not_found|conflict)$/g, '')
  return subject.replace(/(?:^|_)(\w)/g, (_all, letter: string) => letter.toUpperCase())
}
