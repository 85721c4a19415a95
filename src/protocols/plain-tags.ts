import {
  closeOf,
  type Grammar,
  inBrackets,
  type NestedBody,
  type PairsBody,
  type Section,
} from './grammar.js'
import { XML_BRACKETS } from './tag-set.js'

/**
 * The tags of a call as its family nearly always writes them, worked out once: one pattern for everything between two
 * values, where other forms are matched tag by tag. All of them are sticky.
 */
export interface PlainTags {
  /** The function's name (1) with its surroundings; undefined if the opening tag has it. */
  readonly name: RegExp | undefined
  /**
   * An argument whose value has nothing that a tag may begin with: its key (1), what its tag says of the value (2), and the
   * value, if the quoted text is valid JSON (3), or any other (4).
   */
  readonly pair: RegExp
  /** The beginning of such an argument, up to its value. */
  readonly pairHead: RegExp
  readonly valueClose: string
  /** Where the closing tag is named after the argument: what every tag begins with, and what follows the key. */
  readonly named?: { readonly token: string; readonly keyEnd: string }
  /** What follows the last value. */
  readonly end: RegExp
}

/** The tags around the fields of a call, as they are nearly always written. */
export interface PlainFields {
  readonly server: Section
  readonly tool: Section
  readonly arguments: Section
}

/** The plain tags of a grammar whose calls are fields. */
export function plainFieldsOf({ body }: Grammar): PlainFields | undefined {
  return body.kind === 'tags'
    ? { server: around(body.server), tool: around(body.tool), arguments: around(body.arguments) }
    : undefined
}

function around(tag: string): Section {
  return { open: tag, close: closeOf(tag) }
}

/** The plain tags of a grammar whose calls are names and values. */
export function plainTagsOf(grammar: Grammar): PlainTags | undefined {
  const { body } = grammar
  if (body.kind === 'pairs') return pairsTagsOf(grammar, body)
  return body.kind === 'nested' ? nestedTagsOf(grammar, body) : undefined
}

function pairsTagsOf(grammar: Grammar, body: PairsBody): PlainTags {
  const { open, close = '' } = grammar
  const write = (tag: string) => inBrackets(grammar, tag)
  const split = (tag: string): readonly [string, string] => {
    const [before = '', behind = ''] = write(tag.replace('""', '"\0"').replace('=>', '=\0>')).split('\0')
    return [before, behind]
  }
  const { function: called, separator = '' } = body
  const [nameOpen, nameEnd] = called === undefined ? ['', separator] : split(called)
  const wordBefore = called !== undefined && separator !== '' ? `function${separator}` : ''
  const [keyOpen, keyEnd] = body.value === undefined ? split(body.key) : [body.key, closeOf(body.key)]
  const valueClose = write(closeOf(body.value ?? body.key))
  const pairHead = headPattern(keyOpen, body.typed && `" ${body.typed.name}="`, keyEnd, body.value)
  const end = called === undefined ? literal(close) : `${literal(write(closeOf(called)))}${onLine(close)}`
  return {
    name:
      open === undefined
        ? undefined
        : sticky(`${onLine(wordBefore + nameOpen)}([\\w.-]{1,128})${literal(nameEnd)}`),
    pair: sticky(`${pairHead}${valuePattern(valueClose, body.trim)}${literal(valueClose)}`),
    pairHead: sticky(pairHead),
    valueClose,
    end: sticky(`\\n?${end}`),
  }
}

function nestedTagsOf(grammar: Grammar, body: NestedBody): PlainTags {
  const { open, close, end } = grammar.brackets?.[0] ?? XML_BRACKETS
  const pairHead = headPattern(open, undefined, end)
  return {
    name: undefined,
    pair: sticky(`${pairHead}${valuePattern(close)}${literal(close)}\\1${literal(end)}`),
    pairHead: sticky(pairHead),
    valueClose: close,
    named: { token: open.slice(0, -1), keyEnd: end },
    end: sticky(onLine(inBrackets(grammar, closeOf(body.function)))),
  }
}

function headPattern(keyOpen: string, said: string | undefined, keyEnd: string, valueOpen = ''): string {
  const saying = said === undefined ? '()' : `(?:${literal(said)}(\\w{1,128}))?`
  return `\\n?${literal(keyOpen)}(\\w{1,128})${saying}${literal(keyEnd)}${onLine(valueOpen)}`
}

/** @param trim which line breaks at the ends are not part of a value */
function valuePattern(valueClose: string, trim?: PairsBody['trim']): string {
  const lead = literal(valueClose.charAt(0))
  const plain = `([^${lead}"\\\\\\0-\\x1f\\ud800-\\udfff]*)`
  if (trim === 'all') return `(?:(?!)()|([^${lead}]*))`
  return trim === 'lines' ? `(?:\\n?${plain}\\n?|([^${lead}]*))` : `(?:${plain}|([^${lead}]*))`
}

/** The pattern of a text that may have a line of its own; empty without a text. */
function onLine(text: string): string {
  return text === '' ? '' : `\\n?${literal(text)}`
}

function sticky(pattern: string): RegExp {
  return new RegExp(pattern, 'y')
}

function literal(text: string): string {
  return text.replace(/[|\\.*+?^$(){}[\]/]/g, '\\$&')
}
