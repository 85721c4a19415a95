import type { ErrorObject } from 'ajv'
import { createAjv } from '../schema/ajv.js'
import { configFileProblems, yamlProblem } from '../schema/config-file-problems.js'
import { type KeyDocument, KeysFile } from '../schema/keys-file.js'
import { yaml } from '../util/yaml.js'

/** The entries of a keys file, or what is wrong with it. */
export type ParsedKeys =
  | { readonly ok: true; readonly keys: readonly KeyDocument[] }
  | { readonly ok: false; readonly problems: readonly string[] }

/** A file with more is none of keys. */
export const MAX_KEYS_BYTES = 4 * 1024 * 1024

/** Of a file of mistakes the first are enough. */
const MAX_PROBLEMS = 20
const SETTING = 'KEYS_FILE'
const FORMS: readonly string[] = ['pattern', 'anyOf']

/** Reads the text of a keys file, JSON or YAML. No message shows a value: somebody may have written a key there. */
export function parseKeys(path: string, text: string): ParsedKeys {
  if (text.length > MAX_KEYS_BYTES)
    return wrong([`${SETTING}: ${path} is larger than ${MAX_KEYS_BYTES} bytes`])
  let content: unknown
  try {
    content = text.trimStart().startsWith('{') ? JSON.parse(text) : yaml().parse(text, { maxAliasCount: 0 })
  } catch (error) {
    return wrong([`${SETTING}: ${whyUnreadable(path, error)}`])
  }
  const problems = isKeysFile(content) ? dateProblems(content.keys) : shapeProblems(content)
  if (problems.length > 0 || !isKeysFile(content)) return wrong(problems)
  return { ok: true, keys: content.keys }
}

function wrong(problems: readonly string[]): ParsedKeys {
  const more = problems.length - MAX_PROBLEMS
  const shown = problems.slice(0, MAX_PROBLEMS)
  return { ok: false, problems: more > 0 ? [...shown, `${SETTING}: and ${more} more`] : shown }
}

/** What a parser says of JSON quotes the text. */
function whyUnreadable(path: string, error: unknown): string {
  return error instanceof SyntaxError ? `${path} is not JSON` : yamlProblem(path, error)
}

function isKeysFile(content: unknown): content is KeysFile {
  return createAjv({ allErrors: false }).validate(KeysFile, content)
}

function shapeProblems(content: unknown): readonly string[] {
  const check = createAjv({ verbose: true }).compile(KeysFile)
  check(content)
  const errors = check.errors ?? []
  const plain = errors.filter(({ keyword }) => !FORMS.includes(keyword))
  const formed = errors.filter(
    ({ keyword, schemaPath }) => FORMS.includes(keyword) && !/anyOf\//.test(schemaPath),
  )
  return [...formed.map(formProblem), ...configFileProblems(plain.filter(isOnItsOwn), SETTING)]
}

function isOnItsOwn({ schemaPath }: ErrorObject): boolean {
  return !schemaPath.includes('/anyOf/')
}

/** What a form is for says more than its pattern does. */
function formProblem({ instancePath, parentSchema }: ErrorObject): string {
  const description: unknown = parentSchema?.['description']
  return `${SETTING} ${instancePath}: does not have the right form (${String(description ?? 'an id, with one * at most')})`
}

/** The 31st of February would be one in March. */
function isDate(text: string): boolean {
  const date = new Date(text)
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === text.slice(0, 10)
}

function dateProblems(keys: readonly KeyDocument[]): readonly string[] {
  return keys.flatMap(({ expires }, index) =>
    expires !== undefined && !isDate(expires)
      ? [`${SETTING} /keys/${index}/expires: is no date of the calendar`]
      : [],
  )
}
