import { stringifyJson, textOrJson } from '../util/json.js'
import type { TagEscape } from './escape-tags.js'
import { closeOf, type Grammar, type JsonBody, nameOf, type PairsBody, type TagsBody } from './grammar.js'
import type { EncodableCall } from './protocol.js'
import { DEFAULT_SERVER } from './read-tags-call.js'

/** The calls of one message as a grammar writes them, in its section, if it has one. */
export function encodeCalls(grammar: Grammar, tagEscape: TagEscape, calls: readonly EncodableCall[]): string {
  const { section } = grammar
  const written = calls.map((call, index) => encodeCall(grammar, tagEscape, call, index))
  if (calls.length === 0 || section === undefined) return written.join('\n')
  return `${section.open}${written.join('')}${section.close}`
}

function encodeCall(grammar: Grammar, tagEscape: TagEscape, call: EncodableCall, index: number): string {
  const { open, close, body } = grammar
  if (body.kind === 'json') return `${open}${encodeJson(body, call, index)}${close}`
  const lines = body.kind === 'tags' ? encodeTags(body, call) : encodePairs(body, call, tagEscape)
  // Where the name follows the opening tag, it does so on the same line.
  return body.kind === 'pairs' && body.function === undefined
    ? `${open}${lines.join('\n')}\n${close}`
    : [open, ...lines, close].join('\n')
}

function encodeJson(body: JsonBody, { name, arguments: args }: EncodableCall, index: number): string {
  const { separator, argumentsKey = 'arguments', writeName } = body
  if (separator === undefined) return `\n${stringifyJson({ name, [argumentsKey]: args })}\n`
  return `${writeName?.(name, index) ?? name}${separator}${stringifyJson(args)}`
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
  body: PairsBody,
  { name, arguments: args }: EncodableCall,
  tagEscape: TagEscape,
): string[] {
  const pairs = Object.entries(args).flatMap(([key, value]) =>
    encodePair(body, key, tagEscape.escape(textOrJson(value))),
  )
  if (body.function === undefined) return [name, ...pairs]
  return [`<${nameOf(body.function)}=${name}>`, ...pairs, closeOf(body.function)]
}

function encodePair({ key, value }: PairsBody, name: string, text: string): string[] {
  if (value === undefined) return [`<${nameOf(key)}=${name}>`, text, closeOf(key)]
  return [`${key}${name}${closeOf(key)}`, `${value}${text}${closeOf(value)}`]
}
