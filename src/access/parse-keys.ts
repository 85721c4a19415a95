import { createFillingChecks } from '../schema/ajv.js'
import type { SchemaProblem } from '../schema/check/schema-problem.js'
import { configFileProblems, yamlFileProblem } from '../schema/config-file-problems.js'
import { type KeyDocument, type KeyScope, KeysFile } from '../schema/keys-file.js'
import { readForeignJson } from '../util/json/foreign-json.js'
import { JsonBoundError } from '../util/json/json-bound-error.js'
import { printPointer } from '../util/json/json-path.js'
import { LONG_YAML } from '../util/limits.js'
import { runNow } from '../util/slices/sliced.js'
import { readYaml } from '../util/yaml/read-yaml.js'
import type { YamlReader } from '../util/yaml/yaml-reader.js'
import { KEYS_BOUNDS, MAX_KEYS_BYTES } from './limits.js'

/** The entries of a keys file, or what is wrong with it. */
export type ParsedKeys =
  | { readonly ok: true; readonly keys: readonly KeyDocument[] }
  | { readonly ok: false; readonly problems: readonly string[] }

/** Longer JSON holds others up when it is read in one piece, in characters. */
const LONG = 16_384
/** Of a file of mistakes the first are enough. */
const MAX_PROBLEMS = 20
/** Keys repeat nothing. */
const MAX_ALIASES = 0
const SETTING = 'KEYS_FILE'
const { maxDepth } = KEYS_BOUNDS
const FORMS: readonly string[] = ['pattern', 'anyOf']

/** Reads the text of a keys file, JSON or YAML. No message shows a value: somebody may have written a key there. */
export function parseKeys(path: string, text: string): ParsedKeys {
  if (text.length > MAX_KEYS_BYTES) return tooLarge(path)
  try {
    return keysOf(
      isJson(text) ? JSON.parse(text) : runNow(readYaml(text, maxDepth, { maxAliases: MAX_ALIASES })).value,
    )
  } catch (error) {
    return wrong([`${SETTING}: ${whyUnreadable(path, error)}`])
  }
}

/** Reads a keys file while requests are served: long JSON is read in pieces, long YAML by the reader. */
export async function readKeys(
  path: string,
  text: string,
  reader: Pick<YamlReader, 'read'>,
): Promise<ParsedKeys> {
  const isShort = text.length <= (isJson(text) ? LONG : LONG_YAML)
  if (isShort || text.length > MAX_KEYS_BYTES) return parseKeys(path, text)
  try {
    const json = isJson(text) ? text : (await reader.read(text, maxDepth, MAX_ALIASES)).json
    return keysOf(await readForeignJson(json, KEYS_BOUNDS), true)
  } catch (error) {
    return wrong([`${SETTING}: ${whyUnreadable(path, error)}`])
  }
}

function isJson(text: string): boolean {
  return text.trimStart().startsWith('{')
}

/** @param isLong then the first problem is enough: to find all takes long */
function keysOf(content: unknown, isLong = false): ParsedKeys {
  const { filled } = firstMistake(content)
  if (filled === undefined) return wrong(shapeProblems(content, isLong))
  const problems = [...dateProblems(filled.keys), ...labelProblems(filled.keys)]
  return problems.length > 0 ? wrong(problems) : { ok: true, keys: filled.keys }
}

function tooLarge(path: string): ParsedKeys {
  return wrong([`${SETTING}: ${path} is larger than ${MAX_KEYS_BYTES} bytes`])
}

function wrong(problems: readonly string[]): ParsedKeys {
  const more = problems.length - MAX_PROBLEMS
  const shown = problems.slice(0, MAX_PROBLEMS)
  return { ok: false, problems: more > 0 ? [...shown, `${SETTING}: and ${more} more`] : shown }
}

/** What a parser says of JSON quotes the text. */
function whyUnreadable(path: string, error: unknown): string {
  if (error instanceof JsonBoundError) return `${path} ${error.message}`
  if (error instanceof SyntaxError) return `${path} is not JSON`
  return yamlFileProblem(path, error)
}

const firstMistake = createFillingChecks({ onlyFirst: true, describesFiles: true })<KeysFile>(KeysFile)
const allMistakes = createFillingChecks({ describesFiles: true })<KeysFile>(KeysFile)

function shapeProblems(content: unknown, onlyFirst: boolean): readonly string[] {
  const { problems } = (onlyFirst ? firstMistake : allMistakes)(content)
  const isForm = ({ keyword }: SchemaProblem) => FORMS.includes(keyword)
  const others = problems.filter((problem) => !isForm(problem))
  return [...problems.filter(isForm).map(formProblem), ...configFileProblems(others, SETTING)]
}

/** What a form is for says more than its pattern does. */
function formProblem(problem: SchemaProblem): string {
  const { description = 'an id, with one * at most' } = problem.params
  return `${SETTING} ${printPointer(problem.path)}: does not have the right form (${String(description)})`
}

/** What works in the background does not know the labels of the key that began it. */
const WITHOUT_LABELS: readonly KeyScope[] = ['agents', 'tasks']

function labelProblems(keys: readonly KeyDocument[]): readonly string[] {
  return keys.flatMap(({ labels, scopes }, index) => {
    const scope = WITHOUT_LABELS.find((each) => scopes.includes(each))
    if (labels === undefined || scope === undefined) return []
    return [`${SETTING} /keys/${index}/labels: a key with labels cannot have the scope "${scope}"`]
  })
}

/** The 31st of February would be one in March. */
function isDate(text: string): boolean {
  const date = new Date(text)
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === text.slice(0, 10)
}

function dateProblems(keys: readonly KeyDocument[]): readonly string[] {
  return keys.flatMap(({ expires }, index) =>
    expires !== undefined && !isDate(expires)
      ? [`${SETTING} /keys/${index}/expires: is not a valid date`]
      : [],
  )
}
