import { closeOf, type Grammar, inBrackets, type NestedBody, type PairsBody } from './grammar.js'
import { XML_BRACKETS } from './tag-set.js'

/**
 * The tags of a call as its family nearly always writes them, worked out once: texts that are compared, where others are
 * matched by their grammar.
 */
export interface PlainTags {
  /** In front of the function's name: undefined where the opening tag has it. */
  readonly nameOpen: string | undefined
  readonly nameEnd: string
  readonly keyOpen: string
  /** Between the name of an argument and what its tag says of the value. */
  readonly said: string | undefined
  readonly keyEnd: string
  readonly valueOpen: string
  readonly valueClose: string
  /** Where the closing tag is named after the argument: what every tag begins with. */
  readonly token?: string
  /** Behind the last value, and behind that; the second may be empty. */
  readonly end: string
  readonly close: string
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
  const around = (tag: string): readonly [string, string] => {
    const [before = '', behind = ''] = write(tag.replace('""', '"\0"').replace('=>', '=\0>')).split('\0')
    return [before, behind]
  }
  const { function: called, separator = '' } = body
  const [nameOpen, nameEnd] = called === undefined ? ['', separator] : around(called)
  const wordBefore = called !== undefined && separator !== '' ? `function${separator}` : ''
  const [keyOpen, keyEnd] = body.value === undefined ? around(body.key) : [body.key, closeOf(body.key)]
  return {
    nameOpen: open === undefined ? undefined : `${wordBefore}${nameOpen}`,
    nameEnd,
    keyOpen,
    keyEnd,
    said: body.typed && `" ${body.typed.name}="`,
    valueOpen: body.value ?? '',
    valueClose: write(closeOf(body.value ?? body.key)),
    end: called === undefined ? close : write(closeOf(called)),
    close: called === undefined ? '' : close,
  }
}

function nestedTagsOf(grammar: Grammar, body: NestedBody): PlainTags {
  const { open, close, end } = grammar.brackets?.[0] ?? XML_BRACKETS
  return {
    nameOpen: undefined,
    nameEnd: '',
    keyOpen: open,
    said: undefined,
    keyEnd: end,
    valueOpen: '',
    valueClose: close,
    token: open.slice(0, -1),
    end: inBrackets(grammar, closeOf(body.function)),
    close: '',
  }
}
