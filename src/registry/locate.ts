import type { Document, Node, Pair } from 'yaml'
import type { TextFormat } from '../store/store.js'
import { runNow, type Sliced } from '../util/slices/sliced.js'
import { placeOf } from '../util/text/place-of.js'
import { parseYaml, YamlTooDeep } from '../util/yaml/parse-yaml.js'
import { yaml } from '../util/yaml/yaml.js'
import type { DocumentPath } from './document-path.js'
import { findJsonValue } from './locate-json.js'
import { offsetInScalar, type ScalarStyle } from './scalar-offset.js'

/** A document as it was written. */
export interface DocumentSource {
  readonly text: string
  readonly format: TextFormat
}

/** What is looked for in a document. */
export interface Place {
  readonly path: DocumentPath
  /** The beginning of the text at the path, up to the wanted place. */
  readonly before?: string
  /** The name of the member is meant, not its value. */
  readonly isName?: boolean
}

/** A place in a document as editors count it: both from 1, columns in UTF-16 code units. */
export interface DocumentPosition {
  readonly line: number
  readonly column: number
}

/** Where a value is written; `style` only of a text. */
interface Written {
  readonly start: number
  readonly end: number
  readonly style?: ScalarStyle
  /** Where the member's name begins, for a member of an object. */
  readonly nameStart?: number | undefined
}

/** Finds the places of values in one document, which is parsed at most once more for it. */
export interface Locator {
  /** Parses what has to be before the first place is found, and lets others have a turn. */
  prepare(): Sliced<void>
  /** Where the value is written; where it is missing, the nearest value around it. */
  locate(place: Place): DocumentPosition
}

/** Positions are not computed for longer documents, in characters: it takes a second pass that cannot be interrupted. */
const MAX_LOCATED = 1 << 17
/** Longest YAML document whose positions are computed, in characters: YAML takes longer. */
const MAX_LOCATED_YAML = 1 << 14

/** A locator of a document that parses and is not long, else undefined. */
export function locatorOf(source: DocumentSource | undefined): Locator | undefined {
  if (source === undefined) return undefined
  const longest = source.format === 'yaml' ? MAX_LOCATED_YAML : MAX_LOCATED
  return source.text.length > longest ? undefined : createLocator(source)
}

/** Creates a locator of a document that parses. It costs nothing until it is asked. */
export function createLocator(source: DocumentSource): Locator {
  return new DocumentLocator(source)
}

class DocumentLocator implements Locator {
  readonly #text: string
  #find: Find | undefined

  constructor({ text, format }: DocumentSource) {
    this.#text = text
    this.#find = format === 'yaml' ? undefined : jsonFinder(text)
  }

  *prepare(): Sliced<void> {
    yield* this.#finder()
  }

  locate(place: Place): DocumentPosition {
    return placeOf(this.#text, offsetOf(this.#text, runNow(this.#finder()), place))
  }

  *#finder(): Sliced<Find> {
    this.#find ??= yield* yamlFinder(this.#text)
    return this.#find
  }
}

type Find = (path: DocumentPath) => Written | undefined

function offsetOf(text: string, find: Find, { path, before, isName }: Place): number {
  const found = find(path)
  if (found === undefined) return path.length === 0 ? 0 : offsetOf(text, find, { path: path.slice(0, -1) })
  const { start, end, style, nameStart } = found
  if (isName === true && nameStart !== undefined) return nameStart
  if (before === undefined || style === undefined) return start
  return start + offsetInScalar(text.slice(start, end), style, before)
}

function jsonFinder(text: string): Find {
  return (path) => {
    const found = findJsonValue(text, path)
    return found !== undefined && text[found.start] === '"' ? { ...found, style: 'double' } : found
  }
}

function* yamlFinder(text: string): Sliced<Find> {
  const { isAlias, isNode } = yaml()
  const document = yield* parsed(text)
  if (document === undefined) return () => undefined
  const target = (node: unknown) => (isAlias(node) ? node.resolve(document) : node)
  return (path) => {
    const parent = path
      .slice(0, -1)
      .reduce<unknown>((node, part) => childOf(target(node), part), document.contents)
    const last = path.at(-1)
    const node = target(last === undefined ? document.contents : childOf(target(parent), last))
    if (!isNode(node) || node.range === null || node.range === undefined) return undefined
    const name = last === undefined ? undefined : pairOf(target(parent), last)?.key
    return { ...writtenNode(text, node, node.range), nameStart: isNode(name) ? name.range?.[0] : undefined }
  }
}

/** Undefined for YAML that is nested so deeply that nobody reads it. */
function* parsed(text: string): Sliced<Document.Parsed | undefined> {
  try {
    return yield* parseYaml(text, { prettyErrors: false, uniqueKeys: false, logLevel: 'silent' })
  } catch (error) {
    if (error instanceof YamlTooDeep) return undefined
    throw error
  }
}

function childOf(node: unknown, part: string | number): unknown {
  if (yaml().isSeq(node)) return typeof part === 'number' ? node.items[part] : undefined
  return pairOf(node, part)?.value
}

function pairOf(node: unknown, part: string | number): Pair | undefined {
  const { isMap, isScalar } = yaml()
  if (!isMap(node)) return undefined
  return node.items.find(({ key }) => isScalar(key) && String(key.value) === String(part))
}

function writtenNode(text: string, node: Node, [start, end]: readonly [number, number, number]): Written {
  const { isScalar, Scalar } = yaml()
  if (!isScalar(node) || typeof node.value !== 'string') return { start, end }
  if (node.type === Scalar.QUOTE_SINGLE) return { start, end, style: 'single' }
  if (node.type === Scalar.QUOTE_DOUBLE) return { start, end, style: 'double' }
  const isBlock = node.type === Scalar.BLOCK_LITERAL || node.type === Scalar.BLOCK_FOLDED
  // The header of a block, `|-` and perhaps a comment, is not part of the text.
  return { start: isBlock ? text.indexOf('\n', start) + 1 : start, end, style: 'bare' }
}
