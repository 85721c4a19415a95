import { MAX_JSON_DEPTH } from '../util/first-json.js'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../util/json.js'
import { giveUp, type Reading } from './reading.js'
import { resolveTool } from './resolve-tool.js'
import type { Steps } from './scanner.js'
import type { Tag } from './tag-set.js'
import { keyJson, valueJson } from './value-json.js'

/** A tag of an argument behind its token, and the text in front of the next. */
const ELEMENT = /\]<\]minimax\[>\[\s*<(\/?)([^<>]{1,256})>/g

/** Reads a call whose arguments are tags of their own names. */
export function* readNestedCall(reading: Reading, open: Tag): Steps<void> {
  const { scanner, tags, forms, tools, tagEscape, emit } = reading
  const { text, tag } = yield* scanner.untilTag(tags)
  const raw = open.raw + text
  if (tag === undefined || tag.form !== forms.functionClose) {
    if (tag !== undefined) scanner.unread(tag.raw)
    return emit({ kind: 'malformed', raw, reason: `${forms.functionClose} is missing` })
  }
  const name = open.value?.trim() ?? ''
  if (name === '') return yield* giveUp(reading, raw, 'The name of the tool is missing')
  const root = toTree(text)
  if (root === undefined) {
    return emit({
      kind: 'malformed',
      raw: raw + tag.raw,
      reason: 'The tags of the arguments do not fit each other',
    })
  }
  const schema = resolveTool({ name }, tools)?.parameters
  const restore = (value: string) => tagEscape.unescape(value)
  emit({
    kind: 'call',
    name,
    arguments: root.children.length === 0 ? '{}' : objectJson(root, schema, restore),
  })
}

/** An element with what stands inside: text, or other elements. */
interface Element {
  readonly name: string
  text: string
  readonly children: Element[]
}

/** The elements of a text; undefined where they do not fit each other. */
function toTree(text: string): Element | undefined {
  const root: Element = { name: '', text: '', children: [] }
  const path: Element[] = [root]
  let from = 0
  for (const match of text.matchAll(ELEMENT)) {
    const current = path.at(-1)
    const [written, slash, name = ''] = match
    if (current === undefined || path.length > MAX_JSON_DEPTH) return undefined
    current.text += text.slice(from, match.index)
    from = match.index + written.length
    if (slash === '/') {
      if (current.name !== name || path.length === 1) return undefined
      path.pop()
    } else {
      const child: Element = { name, text: '', children: [] }
      current.children.push(child)
      path.push(child)
    }
  }
  return path.length === 1 ? root : undefined
}

type Restore = (text: string) => string

function elementJson(element: Element, schema: JsonValue | undefined, restore: Restore): string {
  if (element.children.length === 0) return valueJson(restore(element.text), schema)
  const isList = typeOf(schema) === 'array' || element.children.every(({ name }) => name === 'item')
  return isList ? listJson(element.children, schema, restore) : objectJson(element, schema, restore)
}

function listJson(elements: readonly Element[], schema: JsonValue | undefined, restore: Restore): string {
  const items = isJsonObject(schema) ? own(schema, 'items') : undefined
  return `[${elements.map((each) => elementJson(each, items, restore)).join(',')}]`
}

/** A name that comes several times is a list. */
function objectJson({ children }: Element, schema: JsonValue | undefined, restore: Restore): string {
  const properties = isJsonObject(schema) ? own(schema, 'properties') : undefined
  const known: JsonObject = isJsonObject(properties) ? properties : {}
  const byName = new Map<string, Element[]>()
  for (const child of children) {
    const same = byName.get(child.name)
    if (same === undefined) byName.set(child.name, [child])
    else same.push(child)
  }
  const members = [...byName].map(([name, same]) => {
    const [first, ...others] = same
    const json =
      first !== undefined && others.length === 0
        ? elementJson(first, own(known, name), restore)
        : listJson(same, own(known, name), restore)
    return `${keyJson(name)}:${json}`
  })
  return `{${members.join(',')}}`
}

function typeOf(schema: JsonValue | undefined): JsonValue | undefined {
  return isJsonObject(schema) ? own(schema, 'type') : undefined
}
