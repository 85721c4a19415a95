import { type Document, isMap, isScalar, parse, parseDocument, stringify } from 'yaml'
import type { JsonObject, JsonValue } from '../api/shapes.js'
import { withPrintedChanges } from './kept-lines.js'

const STYLE = { lineWidth: 0 } as const

/** Reads a document in YAML. @throws Error that says where it is wrong */
export function parseYaml(text: string): JsonObject {
  const value: unknown = parse(text)
  if (!isObject(value)) throw new Error('{…}')
  return value
}

/** A document as YAML: texts of several lines as blocks. */
export function yamlOf(document: JsonObject): string {
  return stringify(document, { ...STYLE, blockQuote: 'literal' })
}

/** A document as its author wrote it, with what a draft changes: comments, order and all else stay. */
export function withChanges(text: string, before: JsonObject, after: JsonObject): string {
  const document = parseDocument(text)
  if (document.errors.length > 0 || !isMap(document.contents)) return yamlOf(after)
  const printed = document.toString(STYLE)
  change(document, [], before, after)
  const changed = withPrintedChanges(text, printed, document.toString(STYLE))
  return saysTheSame(changed, document) ? changed : document.toString(STYLE)
}

function saysTheSame(text: string, document: Document): boolean {
  const read = parseDocument(text)
  return read.errors.length === 0 && JSON.stringify(read.toJS()) === JSON.stringify(document.toJS())
}

type Path = readonly (string | number)[]

function change(document: Document, path: Path, before: JsonValue | undefined, after: JsonValue): void {
  if (JSON.stringify(before) === JSON.stringify(after)) return
  if (isObject(before) && isObject(after)) changeMembers(document, path, before, after)
  else if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
    changeItems(document, path, before, after)
  else put(document, path, after)
}

function put(document: Document, path: Path, value: JsonValue): void {
  const node = document.getIn(path, true)
  if (typeof value !== 'string' || !isScalar(node)) {
    document.setIn(path, document.createNode(value))
    return
  }
  node.value = value
  // What was quoted or plain on one line is a block with several.
  if (value.includes('\n') && node.type !== 'BLOCK_FOLDED') node.type = 'BLOCK_LITERAL'
}

function changeItems(
  document: Document,
  path: Path,
  before: readonly JsonValue[],
  after: readonly JsonValue[],
): void {
  for (const [index, item] of after.entries()) change(document, [...path, index], before[index], item)
}

function changeMembers(document: Document, path: Path, before: JsonObject, after: JsonObject): void {
  for (const name of Object.keys(before)) if (!(name in after)) document.deleteIn([...path, name])
  for (const [name, value] of Object.entries(after)) change(document, [...path, name], before[name], value)
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
