import { type JsonObject, type JsonValue, own } from '../../util/json/json.js'
import { objectField, textField } from '../../util/json/json-fields.js'
import { frontMatter } from './front-matter.js'
import {
  convertTags,
  type ForeignMessage,
  type Imported,
  type ImportSource,
  reading,
  toImported,
} from './imported.js'

const PATH = /^[\p{L}_][\p{L}\d_]*(?:\.[\p{L}\d_]+)*$/u
const ROLE = /\{\{\s*role\s+"(\w+)"\s*\}\}/g
const ROLE_NAMES: Readonly<Record<string, string>> = { model: 'assistant' }
const SCALARS: ReadonlySet<string> = new Set(['string', 'integer', 'number', 'boolean'])
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  'name',
  'description',
  'model',
  'config',
  'input',
  'output',
  'variant',
])

/** A `.prompt` file of Dotprompt. @throws YamlError */
export function readDotprompt({ text, stem }: ImportSource): readonly Imported[] {
  const { head, body } = frontMatter(text)
  const input = objectField(head, 'input')
  const { properties, optional, notes } = readPicoschema(
    objectField(input, 'schema'),
    objectField(input, 'default'),
  )
  const others = Object.keys(head).filter((name) => !KNOWN_FIELDS.has(name))
  return [
    toImported({
      name: textField(head, 'name') ?? stem,
      body: messagesIn(body),
      convert: convertHandlebars,
      properties,
      optional,
      fields: {
        description: textField(head, 'description'),
        model: textField(head, 'model'),
        options: Object.keys(objectField(head, 'config')).length === 0 ? undefined : own(head, 'config'),
      },
      notes: [
        ...notes,
        ...(own(head, 'output') === undefined ? [] : ['output is not carried: write it as returns']),
        ...others.map((name) => `${name} is not carried`),
      ],
    }),
  ]
}

/** `{{role "system"}}` begins a message; a body without any is one text. */
function messagesIn(body: string): string | readonly ForeignMessage[] {
  const parts = body.split(ROLE)
  if (parts.length === 1) return body.trim()
  const messages: ForeignMessage[] = [{ speaker: 'user', text: (parts[0] ?? '').trim() }]
  for (let index = 1; index < parts.length; index += 2) {
    const role = parts[index] ?? ''
    messages.push({ speaker: ROLE_NAMES[role] ?? role, text: (parts[index + 1] ?? '').trim() })
  }
  return messages.filter(({ text }) => text !== '')
}

/** Handlebars as ours has it: variables, `#if`, `else`, `#each` with `this`. */
function convertHandlebars(text: string) {
  let loops = 0
  return convertTags(text, (inner) => {
    const [, block, path = ''] = /^#(if|each)\s+(\S+)$/.exec(inner) ?? []
    if (block === 'each') loops += 1
    if (block !== undefined) return PATH.test(path) ? opening(block, path, loops) : undefined
    if (inner === '/each') loops -= 1
    if (inner === 'else' || inner === '/if' || inner === '/each') return { text: `{{${inner}}}` }
    const [, rest] = /^this(\..+)?$/.exec(inner) ?? []
    if (loops > 0 && /^this(?:\.|$)/.test(inner)) return { text: `{{item${rest ?? ''}}}` }
    if (['history', 'media', 'section', 'json'].includes(inner)) return undefined
    // Inside of a loop a bare name is a field of its element.
    return PATH.test(inner) && loops === 0 ? { text: reading(inner), variable: inner } : undefined
  })
}

function opening(block: string, path: string, loops: number) {
  const isElement = path === 'this' || path.startsWith('this.')
  if (isElement) return { text: `{{#${block} item${path.slice('this'.length)}}}` }
  return loops > (block === 'each' ? 1 : 0)
    ? undefined
    : { text: `{{#${block} variables.${path}}}`, variable: path }
}

/** Scalars of Picoschema: `name: string, what it is`, `language?: string`. */
function readPicoschema(schema: JsonObject, defaults: JsonObject) {
  const properties: Record<string, JsonObject> = {}
  const optional: string[] = []
  const notes: string[] = []
  for (const [key, value] of Object.entries(schema)) {
    const [, name = '', mark, kind] = /^([^?(]+)(\?)?(?:\((\w+).*\))?$/.exec(key) ?? []
    if (mark !== undefined) optional.push(name)
    const known = typeof value === 'string' && kind === undefined ? scalarIn(value) : undefined
    if (known === undefined) notes.push(`the type of ${name} is not carried: write it in parameters`)
    properties[name] = known ?? {}
  }
  for (const [name, value] of Object.entries(defaults))
    properties[name] = withDefault(properties[name], value)
  return { properties, optional, notes }
}

function withDefault(property: JsonObject | undefined, value: JsonValue): JsonObject {
  return { ...property, default: value }
}

function scalarIn(text: string): JsonObject | undefined {
  const [, type = '', description] = /^(\w+)(?:,\s*([\s\S]+))?$/.exec(text.trim()) ?? []
  if (type === 'any') return description === undefined ? {} : { description }
  if (!SCALARS.has(type)) return undefined
  return description === undefined ? { type } : { type, description }
}
