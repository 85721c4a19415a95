import { errorCode, errorMessage } from '../util/errors/error-message.js'
import { nearNames } from '../util/errors/near-names.js'
import { printPointer } from '../util/json/json-path.js'
import { YamlError } from '../util/yaml/read-yaml.js'
import type { SchemaProblem } from './check/schema-problem.js'

/**
 * One line for each mistake in `CONFIG_FILE`, or another file of this setting, with what to write instead. Values are
 * not shown: they may be secrets.
 */
export function configFileProblems(
  problems: readonly SchemaProblem[],
  setting = 'CONFIG_FILE',
): readonly string[] {
  return problems.map((problem) => `${setting} ${printPointer(problem.path)}: ${expectation(problem)}`)
}

/** Why a YAML file cannot be used, and where. */
export function yamlFileProblem(path: string, error: unknown): string {
  if (!(error instanceof YamlError)) return `cannot read ${path} (${reasonOf(error)})`
  const { line, column } = error.place ?? { line: 1, column: 1 }
  return `${path}:${line}:${column} ${error.message}`
}

function reasonOf(error: unknown): string {
  return errorCode(error) ?? errorMessage(error)
}

function expectation({ keyword, params, message }: SchemaProblem): string {
  if (keyword === 'anyOf') return unionOf(params)
  if (keyword !== 'additionalProperties') return message
  const name = String(params['additionalProperty'])
  const [near] = nearNames(name, namesOf(params['knownNames']))
  return `unknown name "${name}"${near === undefined ? '' : `, did you mean "${near}"?`}`
}

/** `must be { env: … } or { file: … }`. */
function unionOf({ forms, given }: SchemaProblem['params']): string {
  const required = Array.isArray(forms) ? forms.map(namesOf) : []
  const written = required.map((names) => `{ ${names.map((name) => `${name}: …`).join(', ')} }`)
  const isSecret = required.some((names) => names.includes('env'))
  const reason = isSecret && given === 'string' ? '; a secret itself is never written here' : ''
  return `must be ${written.join(' or ')}${reason}`
}

function namesOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}
