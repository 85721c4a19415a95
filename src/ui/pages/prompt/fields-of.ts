import type { JsonObject, JsonValue, ReadPath } from '../../api/shapes.js'

/** How a value is entered. */
export type FieldForm = 'text' | 'number' | 'switch' | 'menu' | 'json'

/** One variable of a prompt. */
export interface VariableField {
  readonly name: string
  readonly form: FieldForm
  readonly required: boolean
  readonly description: string
  /** The default, as text. */
  readonly fallback: string
  /** Of a menu. */
  readonly options: readonly string[]
}

/** The variables that a prompt's schema names, then those that its templates read without saying so. */
export function fieldsOf(schema: JsonValue | undefined, read: readonly ReadPath[]): readonly VariableField[] {
  const { properties, required } = asObject(schema)
  const needed: ReadonlySet<JsonValue> = new Set(Array.isArray(required) ? required : [])
  const declared = Object.entries(asObject(properties)).map(([name, each]) =>
    toField(name, asObject(each), needed.has(name)),
  )
  const known = new Set(declared.map(({ name }) => name))
  const others = read.flatMap(({ path }) => nameOf(path)).filter((name) => !known.has(name))
  return [...declared, ...[...new Set(others)].map((name) => toField(name, formOf(name, read), false))]
}

/** `variables.user.name` reads the variable `user`. */
function nameOf(path: string): readonly string[] {
  const [root, name] = path.split('.')
  return (root === 'variables' || root === 'args') && name !== undefined ? [name] : []
}

/** A variable of which members are read is an object. */
function formOf(name: string, read: readonly ReadPath[]): JsonObject {
  const isObject = read.some(({ path }) => /^(?:variables|args)\.(.+?)\./.exec(path)?.[1] === name)
  return isObject ? { type: 'object' } : {}
}

function toField(name: string, schema: JsonObject, required: boolean): VariableField {
  const { description, default: fallback, enum: options } = schema
  return {
    name,
    required,
    form: inputOf(schema),
    description: typeof description === 'string' ? description : '',
    fallback: fallback === undefined || fallback === null ? '' : textOfValue(fallback),
    options: Array.isArray(options) ? options.map(textOfValue) : [],
  }
}

function inputOf({ type, enum: options }: JsonObject): FieldForm {
  if (Array.isArray(options)) return 'menu'
  switch (type) {
    case 'integer':
    case 'number':
      return 'number'
    case 'boolean':
      return 'switch'
    case 'array':
    case 'object':
      return 'json'
    default:
      return 'text'
  }
}

/** Texts as they are, all else as JSON. */
export function textOfValue(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** What was entered as a value; undefined for nothing. @throws for invalid JSON where JSON is wanted */
export function valueOfText({ form, options }: VariableField, text: string): JsonValue | undefined {
  if (text === '') return undefined
  if (form === 'text') return text
  if (form === 'menu' && options.includes(text)) return isQuoted(text) ? JSON.parse(text) : text
  if (form === 'number' && !Number.isFinite(Number(text))) return text
  return JSON.parse(text)
}

function isQuoted(text: string): boolean {
  return /^(?:-?\d|true$|false$|null$|[[{"])/.test(text)
}

function asObject(value: JsonValue | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? asPlain(value) : {}
}

function asPlain(value: JsonValue & object): JsonObject {
  return Object.fromEntries(Object.entries(value))
}
