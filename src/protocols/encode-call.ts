import { isJsonObject, type JsonValue, stringifyJson, textOrJson } from '../util/json/json.js'
import type { TagEscape } from './escape-tags.js'
import {
  closeOf,
  type GemmaBody,
  type Grammar,
  inBrackets,
  type JsonBody,
  nameOf,
  type PairsBody,
  type TagsBody,
} from './grammar.js'
import type { EncodableCall } from './protocol.js'
import { DEFAULT_SERVER } from './read-tags-call.js'
import { XML_BRACKETS } from './tag-set.js'

/** The calls of one message as a grammar writes them, in its section, if it has one. */
export function encodeCalls(grammar: Grammar, tagEscape: TagEscape, calls: readonly EncodableCall[]): string {
  if (calls.length === 0) return ''
  const { body, open = '', close = '' } = grammar
  if (body.kind === 'json' && body.list === true) return `${open}${encodeList(body, calls)}${close}`
  if (body.kind === 'python') return `${open}[${calls.map(encodePython).join(', ')}]${close}`
  const written = calls.map((call, index) => encodeCall(grammar, tagEscape, call, index))
  const [section] = grammar.sections ?? []
  const separator = isTokens(grammar) ? '' : '\n'
  if (section === undefined) return written.join(separator)
  return [inBrackets(grammar, section.open), ...written, inBrackets(grammar, section.close)].join(separator)
}

/** Forms of special tokens have no white space between them. */
function isTokens({ body, open, brackets }: Grammar): boolean {
  if (body.kind === 'json') return body.separator !== undefined
  return body.kind === 'gemma' || brackets?.[0]?.end === '<|sep|>' || open?.endsWith('｜>') === true
}

function encodeCall(grammar: Grammar, tagEscape: TagEscape, call: EncodableCall, index: number): string {
  const { open = '', close = '', body } = grammar
  switch (body.kind) {
    case 'json':
      return `${open}${encodeJson(body, call, index)}${close}`
    case 'gemma':
      return `${open}call:${call.name}${encodeGemma(call.arguments, body, tagEscape)}${close}`
    case 'tags':
      return [open, ...encodeTags(body, call), close].join('\n')
    case 'pairs':
      return encodePairs(grammar, body, call, index, tagEscape)
    case 'nested':
      return encodeNested(grammar, nameOf(body.function), call, tagEscape)
    case 'python':
      return encodePython(call)
  }
}

function encodeJson(body: JsonBody, call: EncodableCall, index: number): string {
  const { separator, writeName } = body
  if (separator === undefined) return `\n${encodeObject(body, call)}\n`
  return `${writeName?.(call.name, index) ?? call.name}${separator}${stringifyJson(call.arguments)}`
}

/** An object that has the name, too. */
export function encodeObject(
  { keys = {} }: JsonBody,
  { name, arguments: args }: EncodableCall,
  index = 0,
): string {
  const id = keys.id === undefined ? {} : { [keys.id]: String(index) }
  return stringifyJson({ ...id, [keys.name ?? 'name']: name, [keys.arguments ?? 'arguments']: args })
}

function encodeList(body: JsonBody, calls: readonly EncodableCall[]): string {
  return `[${calls.map((call, index) => encodeObject(body, call, index)).join(', ')}]`
}

function encodeTags(body: TagsBody, { name, server, arguments: args }: EncodableCall): string[] {
  const field = (tag: string, text: string) => `${tag}${text}${closeOf(tag)}`
  return [
    field(body.server, server ?? DEFAULT_SERVER),
    field(body.tool, name),
    field(body.arguments, `\n${stringifyJson(args)}\n`),
  ]
}

function encodePairs(
  grammar: Grammar,
  body: PairsBody,
  { name, arguments: args }: EncodableCall,
  index: number,
  tagEscape: TagEscape,
): string {
  const { open, close } = grammar
  const write = (tag: string) => inBrackets(grammar, tag)
  const pairs = Object.entries(args).flatMap(([key, value]) =>
    encodePair(body, key, value, tagEscape.escape(textOrJson(value)), write),
  )
  const line = isTokens(grammar) ? '' : '\n'
  const { function: tag, separator } = body
  if (tag === undefined) return `${open}${[name + (separator ?? ''), ...pairs].join(line)}${line}${close}`
  const opening = write(withValue(tag, name, index))
  const call = [opening, ...pairs, write(closeOf(tag))].join(line)
  if (open === undefined) return call
  return separator === undefined
    ? [open, call, close].join('\n')
    : `${open}function${separator}${call}${close}`
}

function encodePair(
  { key, value, typed, inline }: PairsBody,
  name: string,
  given: JsonValue,
  text: string,
  write: (tag: string) => string,
): string[] {
  if (value !== undefined) return [`${key}${name}${closeOf(key)}`, `${value}${text}${closeOf(value)}`]
  const said =
    typed === undefined ? '' : ` ${typed.name}="${typed.say(typeof given === 'string', jsonTypeOf(given))}"`
  const opening = write(withValue(key, name).replace(/>$/, `${said}>`))
  const closing = write(closeOf(key))
  return inline === true ? [`${opening}${text}${closing}`] : [opening, text, closing]
}

/** A tag with its value: behind `=`, or in its attribute. */
function withValue(tag: string, value: string, index?: number): string {
  if (tag.endsWith('=>')) return `${tag.slice(0, -1)}${value}>`
  const written = value.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
  const numbered = index !== undefined && tag === '<call tool="">' ? ` index="${index + 1}"` : ''
  return tag.replace('""', () => `"${written}"${numbered}`)
}

function jsonTypeOf(value: JsonValue): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value === 'bigint' ? 'number' : typeof value
}

function encodeGemma(value: JsonValue, body: GemmaBody, tagEscape: TagEscape): string {
  if (typeof value === 'string') return `${body.quote}${tagEscape.escape(value)}${body.quote}`
  if (Array.isArray(value)) return `[${value.map((each) => encodeGemma(each, body, tagEscape)).join(',')}]`
  if (!isJsonObject(value)) return stringifyJson(value)
  const members = Object.entries(value).map(
    ([key, member]) => `${gemmaKey(key, body, tagEscape)}:${encodeGemma(member, body, tagEscape)}`,
  )
  return `{${members.join(',')}}`
}

function gemmaKey(key: string, body: GemmaBody, tagEscape: TagEscape): string {
  return /^[\w.$-]+$/.test(key) ? key : `${body.quote}${tagEscape.escape(key)}${body.quote}`
}

const PYTHON_NAME = /^[\p{L}_][\p{L}\p{N}_.-]*$/u

/** A call as Python writes it. */
function encodePython({ name, arguments: args }: EncodableCall): string {
  const values = Object.entries(args).map(([key, value]) =>
    PYTHON_NAME.test(key) ? `${key}=${encodePythonValue(value)}` : `**${encodePythonValue({ [key]: value })}`,
  )
  return `${name}(${values.join(', ')})`
}

function encodePythonValue(value: JsonValue): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) return `[${value.map(encodePythonValue).join(', ')}]`
  if (!isJsonObject(value)) return stringifyJson(value)
  const members = Object.entries(value).map(
    ([key, member]) => `${stringifyJson(key)}: ${encodePythonValue(member)}`,
  )
  return `{${members.join(', ')}}`
}

/** Arguments as tags of their own names; objects and lists as JSON, which keeps the types inside. */
function encodeNested(grammar: Grammar, name: string, call: EncodableCall, tagEscape: TagEscape): string {
  const { open, close, end } = grammar.brackets?.[0] ?? XML_BRACKETS
  const members = Object.entries(call.arguments).map(
    ([key, value]) => `${open}${key}${end}${tagEscape.escape(textOrJson(value))}${close}${key}${end}`,
  )
  return `${open}${name} name="${call.name}"${end}${members.join('')}${close}${name}${end}`
}
