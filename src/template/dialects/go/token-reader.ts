import { errorMessage } from '../../../util/errors/error-message.js'
import type { Numbers } from '../../api.js'
import { MAX_OPERANDS } from '../../limits.js'
import { type ErrorPlace, syntaxError, syntaxLimit } from '../../syntax-error.js'
import { countLines, describeToken, type Lexer, type Token, type TokenKind } from './lexer.js'
import { unquote } from './unquote.js'

export interface ParserOptions {
  /** Go's template name, shown in messages. */
  readonly name: string
  readonly delimiters: readonly [left: string, right: string]
  /** Whether a function is defined. */
  readonly hasFunction: (name: string) => boolean
  /** Names for a message about an unknown function. */
  readonly suggestFunctions?: (name: string) => readonly string[]
  /** The entry of the data that has the variables, for hints. */
  readonly variablesIn?: string | undefined
  /** Nesting of actions and parentheses. */
  readonly maxParseDepth: number
  /** How whole numbers meet floats, where a dialect leaves that open. */
  readonly numbers: Numbers
}

/** The text that is parsed: what its main template and the templates that it defines share. */
export interface SourceText {
  readonly source: string
  readonly options: ParserOptions
  readonly lexer: Lexer
  /** Nesting of blocks, pipelines and parentheses at the present place. */
  depth: number
  /** Operands of the action that is being read. */
  operands: number
}

const NO_TOKEN: Token = { kind: 'error', position: 0, text: '' }

/** The tokens of one template with Go's look-ahead of three, and the errors that name the place of the last one. */
export class TokenReader {
  /** The left delimiter of the action that is being read. */
  actionStart: Token | null = null
  readonly #text: SourceText
  /** The line of the first is in every message. */
  readonly #tokens: [Token, Token, Token] = [NO_TOKEN, NO_TOKEN, NO_TOKEN]
  #peekCount = 0

  constructor(text: SourceText) {
    this.#text = text
  }

  next(): Token {
    if (this.#peekCount === 0) return this.#read()
    this.#peekCount--
    return this.#tokens[this.#peekCount] ?? NO_TOKEN
  }

  /** Takes the last token back. */
  backup(): void {
    this.#peekCount++
  }

  /** Takes the last token back, and this one before it. */
  backup2(token: Token): void {
    this.#tokens[1] = token
    this.#peekCount = 2
  }

  /** Takes the last token back, and these two before it. */
  backup3(second: Token, first: Token): void {
    this.#tokens[1] = first
    this.#tokens[2] = second
    this.#peekCount = 3
  }

  peek(): Token {
    if (this.#peekCount > 0) return this.#tokens[this.#peekCount - 1] ?? NO_TOKEN
    this.#peekCount = 1
    return this.#read()
  }

  #read(): Token {
    const token = this.#text.lexer.next()
    this.#tokens[0] = token
    return token
  }

  nextNonSpace(): Token {
    let token = this.next()
    while (token.kind === 'space') token = this.next()
    return token
  }

  peekNonSpace(): Token {
    const token = this.nextNonSpace()
    this.backup()
    return token
  }

  /** @throws TemplateError for another kind of token */
  expect(kind: TokenKind, context: string): Token {
    const token = this.nextNonSpace()
    return token.kind === kind ? token : this.unexpected(token, context)
  }

  /** The text of a string constant. @throws TemplateError */
  unquote(token: Token): string {
    return this.attempt(() => unquote(token.text))
  }

  /** Reads a constant. @throws TemplateError at its place */
  attempt<T>(read: () => T): T {
    try {
      return read()
    } catch (error) {
      return this.fail(errorMessage(error))
    }
  }

  /** One level of nesting begins. @throws TemplateError if that is too deep */
  enter(): void {
    this.checkDepth(++this.#text.depth)
  }

  leave(): void {
    this.#text.depth--
  }

  /** @throws TemplateError if that is too deep */
  checkDepth(depth: number): void {
    const { maxParseDepth } = this.#text.options
    if (depth > maxParseDepth) {
      throw syntaxLimit('depth', `actions nested deeper than ${maxParseDepth}`, this.#place())
    }
  }

  /** Counts an operand of the action that is being read. @throws TemplateError if it has too many */
  countOperand(): void {
    if (++this.#text.operands > MAX_OPERANDS) {
      throw syntaxLimit('source', `more than ${MAX_OPERANDS} operands in one action`, this.#place())
    }
  }

  /** @throws TemplateError in any case */
  unexpected(token: Token, context: string): never {
    if (token.kind !== 'error') return this.fail(`unexpected ${describeToken(token)} in ${context}`)
    return this.fail(token.text + this.#startOfAction(token))
  }

  /** @throws TemplateError in any case */
  fail(message: string, details: object = {}): never {
    throw syntaxError(message, this.#place(), details)
  }

  /** Where the action began, if that is on another line. */
  #startOfAction(token: Token): string {
    if (this.actionStart === null) return ''
    const line = this.#lineOf(this.actionStart)
    if (line === this.#lineOf(token)) return ''
    const words = token.text.endsWith(' action') ? ' started at' : ' in action started at'
    return `${words} ${this.#text.options.name}:${line}`
  }

  #place(): ErrorPlace {
    const [token] = this.#tokens
    const { source, options } = this.#text
    const { name, variablesIn } = options
    return { source, name, line: this.#lineOf(token), offset: token.position, variablesIn }
  }

  /** Go's line of a token, in which line breaks inside comments do not count. */
  #lineOf(token: Token): number {
    return 1 + countLines(this.#text.source, 0, token.position)
  }
}
