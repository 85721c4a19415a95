import { isJsonObject, type JsonValue } from '../../util/json/json.js'

const ESCAPED = /[<>&\u2028\u2029]/g

/** A value as Go's `encoding/json` writes it: the keys of maps in their order, `<`, `>` and `&` escaped. */
export function goJson(value: JsonValue): string {
  if (typeof value === 'string') return goJsonText(value)
  if (Array.isArray(value)) return `[${value.map(goJson).join(',')}]`
  if (!isJsonObject(value)) return typeof value === 'bigint' ? String(Number(value)) : JSON.stringify(value)
  const keys = Object.keys(value).sort(byBytes)
  return goStruct(keys.map((key) => [key, value[key] ?? null]))
}

/** A JSON object as Go writes a struct: fields in a given order; those without a value are left out. */
export function goStruct(fields: readonly (readonly [name: string, value: JsonValue | GoJson])[]): string {
  const members = fields.map(
    ([name, value]) => `${goJsonText(name)}:${value instanceof GoJson ? value.text : goJson(value)}`,
  )
  return `{${members.join(',')}}`
}

/** JSON that is written already. */
export class GoJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

function goJsonText(text: string): string {
  return JSON.stringify(text).replace(
    ESCAPED,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** By UTF-8 bytes, which is by code points. */
function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
