import { MAX_BLOCK_DEPTH, MAX_PATH_CHARACTERS } from '../../limits.js'
import { HandlebarsSyntaxError, type HandlebarsToken, readTag } from './lexer.js'

/** A piece of a parsed template. Offsets are UTF-16 indices of the tag's first brace, or of the text. */
export type HandlebarsNode =
  | { readonly kind: 'text'; readonly text: string; readonly offset: number }
  | { readonly kind: 'variable'; readonly path: readonly string[]; readonly offset: number }
  | {
      readonly kind: 'if'
      readonly path: readonly string[]
      readonly offset: number
      readonly body: readonly HandlebarsNode[]
      readonly otherwise: readonly HandlebarsNode[]
    }
  | {
      readonly kind: 'each'
      readonly path: readonly string[]
      readonly offset: number
      readonly body: readonly HandlebarsNode[]
    }
  | { readonly kind: 'partial'; readonly name: string; readonly offset: number }

const NAME = String.raw`[\p{L}\p{N}_$][\p{L}\p{M}\p{N}_$-]*`
const PATH = new RegExp(String.raw`^${NAME}(?:\.${NAME})*$`, 'u')

interface OpenBlock {
  readonly kind: 'if' | 'each'
  readonly path: readonly string[]
  readonly offset: number
  readonly body: HandlebarsNode[]
  otherwise: HandlebarsNode[] | undefined
}

/** Parses the Handlebars subset. @throws HandlebarsSyntaxError */
export function parseHandlebars(source: string, maxDepth = MAX_BLOCK_DEPTH): readonly HandlebarsNode[] {
  const parser = new HandlebarsParser(source, maxDepth)
  parser.advance(Number.POSITIVE_INFINITY)
  return parser.finish()
}

/** Parses a source in stretches: first all of it is cut into tokens, then all of them are read. */
export class HandlebarsParser {
  readonly #source: string
  readonly #maxDepth: number
  readonly #tokens: HandlebarsToken[] = []
  /** Up to where there are tokens. */
  #cut = 0
  /** How many tokens were read. */
  #read = 0
  readonly #root: HandlebarsNode[] = []
  readonly #open: OpenBlock[] = []

  constructor(source: string, maxDepth: number) {
    this.#source = source
    this.#maxDepth = maxDepth
  }

  /** Parses some of the source; false once there is no more. @throws HandlebarsSyntaxError */
  advance(characters: number): boolean {
    const cutTo = this.#cut + characters
    while (this.#cut < this.#source.length) {
      this.#cut = readTag(this.#source, this.#cut, this.#tokens)
      if (this.#cut >= cutTo) return true
    }
    const readTo = (this.#tokens[this.#read]?.offset ?? 0) + characters
    for (let token = this.#tokens[this.#read]; token !== undefined; token = this.#tokens[this.#read]) {
      if (token.offset >= readTo) return true
      this.#accept(token)
      this.#read += 1
    }
    return false
  }

  finish(): readonly HandlebarsNode[] {
    const block = this.#open.at(-1)
    if (block === undefined) return this.#root
    throw new HandlebarsSyntaxError(
      `unclosed block ${opening(block)}: no {{/${block.kind}}} follows`,
      block.offset,
    )
  }

  #accept(token: HandlebarsToken): void {
    if (token.kind === 'text') {
      this.#addText(token)
      return
    }
    const { content, offset } = token
    if (content === '') throw new HandlebarsSyntaxError('empty tag', offset)
    if (content.startsWith('#')) this.#openBlock(content.slice(1).trim(), offset)
    else if (content.startsWith('/')) this.#closeBlock(content.slice(1).trim(), offset)
    else if (content.startsWith('>')) this.#add(toPartial(content.slice(1).trim(), offset))
    else if (/^else(?:\s|$)/.test(content)) this.#otherwise(content, offset)
    else this.#add({ kind: 'variable', path: toPath(content, offset), offset })
  }

  #add(node: HandlebarsNode): void {
    this.#list().push(node)
  }

  /** Escapes and raw blocks cut texts into pieces; the tree has one node for them. */
  #addText(token: HandlebarsToken & { readonly kind: 'text' }): void {
    const list = this.#list()
    const last = list.at(-1)
    if (last?.kind !== 'text') list.push(token)
    else list[list.length - 1] = { ...last, text: last.text + token.text }
  }

  #list(): HandlebarsNode[] {
    const block = this.#open.at(-1)
    return block === undefined ? this.#root : (block.otherwise ?? block.body)
  }

  #openBlock(content: string, offset: number): void {
    const [kind = '', ...operands] = content.split(/\s+/)
    if (kind !== 'if' && kind !== 'each') {
      throw new HandlebarsSyntaxError(unknownBlock(kind, operands.length > 0), offset)
    }
    const [operand, ...others] = operands
    if (operand === undefined || others.length > 0) {
      throw new HandlebarsSyntaxError(`{{#${kind}}} needs exactly one variable`, offset)
    }
    if (this.#open.length >= this.#maxDepth) {
      throw new HandlebarsSyntaxError(`blocks are nested deeper than ${this.#maxDepth}`, offset)
    }
    const path = toPath(operand, offset)
    this.#open.push({ kind, path, offset, body: [], otherwise: undefined })
  }

  #closeBlock(name: string, offset: number): void {
    const block = this.#open.pop()
    if (block === undefined)
      throw new HandlebarsSyntaxError(`unexpected {{/${name}}}: no block is open`, offset)
    if (block.kind !== name) {
      throw new HandlebarsSyntaxError(`unexpected {{/${name}}}: ${opening(block)} is open`, offset)
    }
    const { kind, path, body } = block
    if (kind === 'each') this.#add({ kind, path, offset: block.offset, body })
    else this.#add({ kind, path, offset: block.offset, body, otherwise: block.otherwise ?? [] })
  }

  #otherwise(content: string, offset: number): void {
    const block = this.#open.at(-1)
    if (content !== 'else') {
      throw new HandlebarsSyntaxError('{{else}} must be alone; nest another {{#if}} inside it', offset)
    }
    if (block?.kind !== 'if') {
      const where = block === undefined ? 'no {{#if}} is open' : `${opening(block)} has no else`
      throw new HandlebarsSyntaxError(`unexpected {{else}}: ${where}`, offset)
    }
    if (block.otherwise !== undefined) {
      throw new HandlebarsSyntaxError(`unexpected {{else}}: ${opening(block)} already has one`, offset)
    }
    block.otherwise = []
  }
}

function toPartial(name: string, offset: number): HandlebarsNode {
  if (name === '') throw new HandlebarsSyntaxError('{{>}} needs the name of a template', offset)
  if (/\s/.test(name)) throw new HandlebarsSyntaxError('{{> name}} takes nothing but the name', offset)
  return { kind: 'partial', name, offset }
}

function toPath(text: string, offset: number): string[] {
  if (text.length <= MAX_PATH_CHARACTERS && PATH.test(text)) return text.split('.')
  const block = /^(if|each|raw)\b/.exec(text)?.[1]
  const hint = block === undefined ? '' : ` (blocks are written {{#${block} …}})`
  throw new HandlebarsSyntaxError(`${JSON.stringify(shorten(text))} is not a variable path${hint}`, offset)
}

function unknownBlock(kind: string, hasOperand: boolean): string {
  if (kind === 'raw' && hasOperand) return '{{#raw}} takes no variable'
  return `unknown block {{#${shorten(kind)}}}; known are #if, #each and #raw`
}

function opening(block: OpenBlock): string {
  return `{{#${block.kind} ${block.path.join('.')}}}`
}

function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text
}
