import { type AttributePattern, type Brackets, XML_BRACKETS } from './tag-set.js'

/**
 * How a family of models writes calls: its tags, once. Instructions, encoder and parser all read them from here. Tags are
 * written as in the text; see `TagSet`.
 */
export interface Grammar {
  /** Opening tag around a call. Absent if the tag with the function's name has none around it. */
  readonly open?: string
  readonly close?: string
  /** Other tags that open calls. */
  readonly otherOpen?: readonly string[]
  /** Around all calls of a message: the first is written, all are read. */
  readonly sections?: readonly Section[]
  readonly body: JsonBody | TagsBody | PairsBody | GemmaBody | PythonBody | NestedBody
  /** Around thoughts, besides `<think>`. */
  readonly thought?: Section
  /** Tags that say nothing to readers. */
  readonly silent?: readonly string[]
  /** Alternatives of `<`, `</` and `>`; the first is written, all are read. */
  readonly brackets?: readonly Brackets[]
}

/** An opening and a closing tag. */
export interface Section {
  readonly open: string
  readonly close: string
}

/** One JSON object between the tags, or several, in a list or one behind the other. */
export interface JsonBody {
  readonly kind: 'json'
  /** Behind the name, in front of the object; without, the object holds name and arguments. */
  readonly separator?: string
  /** Behind the name, in front of the id of the call. */
  readonly idSeparator?: string
  /** The name may also directly precede the object. */
  readonly bareName?: true
  /** The keys of name, arguments and id in an object that has them all. */
  readonly keys?: { readonly name?: string; readonly arguments?: string; readonly id?: string }
  /** What may precede the object. A group `name` is the name, where the form has it there. */
  readonly preamble?: RegExp
  /** Name and id in the text in front of the separator; undefined where it names no tool. */
  readonly readName?: (head: string, isTool: (name: string) => boolean) => CallName | undefined
  readonly writeName?: (name: string, index: number) => string
  /** The form is made of special tokens, so that a call without its end was cut. */
  readonly mustClose?: true
  /** All calls of a message are written as one list. */
  readonly list?: true
}

/** How a call is named in front of its arguments. */
export interface CallName {
  readonly name: string
  readonly id?: string
}

/** Named fields, each between its own tags; the arguments are a JSON object. */
export interface TagsBody {
  readonly kind: 'tags'
  readonly server: string
  readonly tool: string
  readonly arguments: string
}

/** Names and values of the arguments, each between tags. Values are text, which only a schema gives a type. */
export interface PairsBody {
  readonly kind: 'pairs'
  /** A tag that has the name of the function as its value; without, the name follows the opening tag. */
  readonly function?: string
  /** Between the name and the arguments; where the name is in a tag, in front of that. */
  readonly separator?: string
  /** Around the name of an argument, or a tag that has it as its value. */
  readonly key: string
  /** Around the value, if the key is not in the same tag. */
  readonly value?: string
  /** The attribute of the key that says what the value is. */
  readonly typed?: TypeAttribute
  /** A tag around one JSON object with all arguments. */
  readonly json?: string
  /** How white space at the ends of a value is taken: one line break each, all of it, or none. */
  readonly trim?: 'lines' | 'all'
  /** Values are on the line of their tags. */
  readonly inline?: true
}

/** What an attribute of a key says of its value. */
export interface TypeAttribute {
  readonly name: string
  /** Finds the attribute: `attributePattern` of its name. */
  readonly pattern: AttributePattern
  /** True if the value is literal text; otherwise it is JSON. */
  readonly isText: (said: string | undefined) => boolean
  readonly say: (isText: boolean, type: string) => string
}

/** `call:name{key:value}` with strings between tokens of their own. */
export interface GemmaBody {
  readonly kind: 'gemma'
  readonly quote: string
}

/** A list of Python calls. */
export interface PythonBody {
  readonly kind: 'python'
  /** One call a line, without a list. */
  readonly lines?: true
}

/** Arguments as tags of their own names, one inside of the other. */
export interface NestedBody {
  readonly kind: 'nested'
  readonly function: string
}

/** Every tag that a grammar knows, without those of thoughts. */
export function tagsOf({ open, otherOpen = [], close, sections = [], silent = [], body }: Grammar): string[] {
  const all = [
    ...sections.flatMap((section) => [section.open, section.close]),
    open,
    close,
    ...otherOpen,
    ...innerTags(body),
    ...silent,
  ]
  const written = new Set(all.filter((tag) => tag !== undefined))
  // `<x>` and `</x>` are one tag in a set.
  return [...written].filter((tag) => !tag.startsWith('</') || !written.has(`<${tag.slice(2)}`))
}

function innerTags(body: Grammar['body']): (string | undefined)[] {
  if (body.kind === 'json') return [body.separator, body.idSeparator]
  if (body.kind === 'tags') return [body.server, body.tool, body.arguments]
  if (body.kind === 'pairs') return [body.function, body.separator, body.key, body.value, body.json]
  return body.kind === 'nested' ? [body.function] : []
}

/** The tags that readers look out for, as a `TagSet` reports them: worked out once, not for every call. */
export interface Forms {
  readonly function: string | undefined
  readonly functionClose: string | undefined
  readonly key: string | undefined
  /** Around one object with all arguments. */
  readonly json: ReadonlySet<string>
  /** What ends a call, or the section around it. */
  readonly ends: ReadonlySet<string>
}

/** The tags of a grammar, as readers compare them. */
export function formsOf({ body, close, sections = [] }: Grammar): Forms {
  const called = 'function' in body ? body.function : undefined
  const pairs = body.kind === 'pairs' ? body : undefined
  const ends = [close, ...sections.map((section) => section.close)].filter((tag) => tag !== undefined)
  return {
    function: called && formOf(called),
    functionClose: called && closeOf(called),
    key: pairs && formOf(pairs.key),
    json: new Set(pairs?.json === undefined ? [] : [formOf(pairs.json), closeOf(pairs.json)]),
    ends: new Set(ends),
  }
}

/** The name between the brackets of an opening XML tag, without `=` and attributes. */
export function nameOf(tag: string): string {
  return tag.slice(1).replace(/(?:=| .*)?>$/, '')
}

/** The form of the tag that opens, as a `TagSet` reports it. */
export function formOf(tag: string): string {
  return tag.includes(' ') ? `<${nameOf(tag)}>` : tag
}

/** The closing tag of an XML tag. */
export function closeOf(tag: string): string {
  return `</${nameOf(tag)}>`
}

/** A tag as this grammar's brackets write it. */
export function inBrackets({ brackets }: Grammar, tag: string): string {
  const { open, close, end } = brackets?.[0] ?? XML_BRACKETS
  if (!/^<\/?[\w:.-]+/.test(tag)) return tag
  const closing = tag.startsWith('</')
  return `${closing ? close : open}${tag.slice(closing ? 2 : 1, -1)}${end}`
}
