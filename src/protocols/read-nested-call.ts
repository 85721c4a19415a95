import { isJsonObject, type JsonObject, type JsonValue, own } from '../util/json/json.js'
import { MAX_JSON_DEPTH } from '../util/limits.js'
import { giveUp, type Reading } from './reading.js'
import type { ScanSteps } from './scanner.js'
import type { Tag } from './tag-set.js'
import { takePlainCall } from './take-plain-call.js'
import { keyJson, valueJson } from './value-json.js'

const TOKEN = ']<]minimax[>['
/** A tag of an argument behind its token. */
const ELEMENT = /\s*<(\/?)([^<>]{1,256})>/y

/** Reads a call whose arguments are tags of their own names. */
export function* readNestedCall(reading: Reading, open: Tag): ScanSteps<void> {
  const { scanner, tags, forms, emit } = reading
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
  emit({ kind: 'call', name, arguments: argumentsJson(reading, name, root.children) })
}

/** Reads a call whose arguments hold no other elements, if all of it is there; false where nothing was read. */
export function takePlainNested(reading: Reading, open: Tag): boolean {
  const plain = takePlainCall(reading, open, UNTYPED)
  if (plain !== undefined) reading.emit({ kind: 'call', name: plain.name, arguments: plain.arguments })
  return plain !== undefined
}

const UNTYPED = {}

function argumentsJson(reading: Reading, name: string, elements: readonly Element[]): string {
  const restore = (value: string) => reading.tagEscape.unescape(value)
  return objectJson(elements, reading.schemas.ofTool(name), restore)
}

function propertiesIn(schema: JsonValue | undefined): JsonObject {
  const properties = isJsonObject(schema) ? own(schema, 'properties') : undefined
  return isJsonObject(properties) ? properties : {}
}

/** An element with its contents: text, or other elements. */
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
  for (let at = text.indexOf(TOKEN); at !== -1; at = text.indexOf(TOKEN, Math.max(from, at + 1))) {
    ELEMENT.lastIndex = at + TOKEN.length
    const [, slash, name] = ELEMENT.exec(text) ?? []
    if (name === undefined) continue
    const current = path.at(-1)
    if (current === undefined || path.length > MAX_JSON_DEPTH) return undefined
    current.text += text.slice(from, at)
    from = ELEMENT.lastIndex
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
  return isList ? listJson(element.children, schema, restore) : objectJson(element.children, schema, restore)
}

function listJson(elements: readonly Element[], schema: JsonValue | undefined, restore: Restore): string {
  const items = isJsonObject(schema) ? own(schema, 'items') : undefined
  return `[${elements.map((each) => elementJson(each, items, restore)).join(',')}]`
}

/** A name that comes several times is a list. */
function objectJson(children: readonly Element[], schema: JsonValue | undefined, restore: Restore): string {
  const known = propertiesIn(schema)
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
