import type { ErrorObject } from 'ajv'
import { errorCode, errorMessage } from '../util/errors/error-message.js'
import { nearNames } from '../util/errors/near-names.js'
import { isJsonObject, type JsonObject } from '../util/json/json.js'
import { listField, objectField, textsOf } from '../util/json/json-fields.js'
import { yaml } from '../util/yaml/yaml.js'
import { expectationOf } from './check/expectation.js'

/**
 * One line for each mistake in `CONFIG_FILE`, or another file of this setting, with what to write instead. Values are
 * not shown: they may be secrets.
 */
export function configFileProblems(
  errors: readonly ErrorObject[],
  setting = 'CONFIG_FILE',
): readonly string[] {
  const unions = errors.filter(({ keyword }) => keyword === 'anyOf')
  const isPartOfUnion = (error: ErrorObject) =>
    unions.some((union) => error !== union && error.schemaPath.startsWith(`${union.schemaPath}/`))
  return errors
    .filter((error) => !isPartOfUnion(error))
    .map((error) => `${setting} ${error.instancePath || '/'}: ${expectation(error)}`)
}

/** Why a YAML file cannot be used, and where. */
export function yamlFileProblem(path: string, error: unknown): string {
  if (!(error instanceof yaml().YAMLParseError)) return `cannot read ${path} (${reasonOf(error)})`
  const [reason = ''] = error.message.split('\n')
  const place = error.linePos?.[0] ?? { line: 1, col: 1 }
  return `${path}:${place.line}:${place.col} ${reason.replace(/ at line \d+, column \d+:?$/, '')}`
}

function reasonOf(error: unknown): string {
  return errorCode(error) ?? errorMessage(error)
}

function expectation({
  keyword,
  params,
  message = 'is invalid',
  schema,
  parentSchema,
  data,
}: ErrorObject): string {
  if (keyword === 'anyOf') return unionOf(Array.isArray(schema) ? schema.filter(isJsonObject) : [], data)
  if (keyword !== 'additionalProperties') return expectationOf(keyword, params) ?? message
  const name = String(params['additionalProperty'])
  const [near] = nearNames(name, Object.keys(objectField(parentSchema ?? {}, 'properties')))
  return `unknown name "${name}"${near === undefined ? '' : `, did you mean "${near}"?`}`
}

/** `must be { env: … } or { file: … }`. */
function unionOf(forms: readonly JsonObject[], data: unknown): string {
  const required = forms.map((form) => textsOf(listField(form, 'required')))
  const written = required.map((names) => `{ ${names.map((name) => `${name}: …`).join(', ')} }`)
  const isSecret = required.some((names) => names.includes('env'))
  const reason = isSecret && typeof data === 'string' ? '; a secret itself is never written here' : ''
  return `must be ${written.join(' or ')}${reason}`
}
