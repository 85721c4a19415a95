import { isDeepStrictEqual } from 'node:util'
import { type JsonObject, type JsonValue, parseJson, stringifyJson } from '../../util/json/json.js'
import { isJsonList } from '../../util/json/json-fields.js'
import { MAX_FOREIGN_DEPTH } from '../../util/limits.js'
import { runNow } from '../../util/slices/sliced.js'
import { parseYaml } from '../../util/yaml/parse-yaml.js'
import { readYaml } from '../../util/yaml/read-yaml.js'
import { yaml } from '../../util/yaml/yaml.js'
import { yamlText } from '../../util/yaml/yaml-text.js'

/** What is added to a list of a document. */
export interface NewItem {
  /** The field of the document's root that has the list, or gets one. */
  readonly name: string
  readonly item: JsonObject
}

/**
 * The text of a document with one more item in a list, and all else as its author wrote it. It is written again as a whole
 * only where the list is there already.
 *
 * @param document what the text says
 */
export function withListItem(text: string, document: JsonObject, isYaml: boolean, added: NewItem): string {
  const known = document[added.name]
  const wanted = { ...document, [added.name]: [...(isJsonList(known) ? known : []), added.item] }
  const read = isYaml ? (changed: string) => runNow(readYaml(changed, MAX_FOREIGN_DEPTH)).value : parseJson
  const drafts = known === undefined ? [isYaml ? inYaml(text, added) : inJson(text, added)] : []
  const draft = drafts.find((each) => says(each, wanted, read))
  if (draft !== undefined) return draft
  return isYaml ? rewrittenYaml(text, wanted, added) : `${stringifyJson(wanted, indentOf(text))}\n`
}

function says(text: string, wanted: JsonObject, read: (text: string) => JsonValue): boolean {
  try {
    return isDeepStrictEqual(read(text), wanted)
  } catch {
    return false
  }
}

function inJson(text: string, { name, item }: NewItem): string {
  const member = `${stringifyJson(name)}: ${stringifyJson([item])}`
  return beforeBrace(text, text.lastIndexOf('}'), member)
}

/** After the last line, or inside the braces of a document that is written in them. */
function inYaml(text: string, { name, item }: NewItem): string {
  const { isMap } = yaml()
  const root = runNow(parseYaml(text)).contents
  const end = isMap(root) && root.flow === true ? root.range?.[1] : undefined
  if (end !== undefined) return beforeBrace(text, end - 1, `${name}: ${stringifyJson([item])}`)
  return `${text}${text.endsWith('\n') ? '' : '\n'}${yamlText({ [name]: [item] })}`
}

/** On a line of its own where the brace has one. */
function beforeBrace(text: string, brace: number, member: string): string {
  const body = text.slice(0, brace).trimEnd()
  const gap = text.slice(body.length, brace)
  const indent = /(?:^|\n)([ \t]*)[^\n]*$/.exec(body)?.[1] ?? ''
  const isFirst = /[{,]$/.test(body)
  const between = gap.includes('\n') ? `\n${indent}` : isFirst ? '' : ' '
  return `${body}${isFirst ? '' : ','}${between}${member}${gap}${text.slice(brace)}`
}

/** With its comments, and blocks and braces as they were. */
function rewrittenYaml(text: string, wanted: JsonObject, { name, item }: NewItem): string {
  const { isMap, isSeq } = yaml()
  const document = runNow(parseYaml(text, { intAsBigInt: true }))
  const root = document.contents
  if (document.errors.length > 0 || !isMap(root)) return yamlText(wanted)
  const list = root.get(name, true)
  if (isSeq(list)) list.add(document.createNode(item))
  else document.set(name, [item])
  return document.toString({ lineWidth: 0, flowCollectionPadding: /[{[] /.test(text) })
}

/** Spaces of one level; undefined for JSON on one line. */
function indentOf(text: string): number | undefined {
  return /\n( +)/.exec(text)?.[1]?.length
}
