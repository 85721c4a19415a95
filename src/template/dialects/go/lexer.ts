import { isPrint, quote } from '../../format/quote.js'

/** The kinds of token. Keywords are those whose text a message shows in angle brackets. */
export type TokenKind =
  | 'error'
  | 'bool'
  | 'char'
  | 'char-constant'
  | 'complex'
  | 'assign'
  | 'declare'
  | 'eof'
  | 'field'
  | 'identifier'
  | 'left-delimiter'
  | 'left-parenthesis'
  | 'number'
  | 'pipe'
  | 'raw-string'
  | 'right-delimiter'
  | 'right-parenthesis'
  | 'space'
  | 'string'
  | 'text'
  | 'variable'
  | Keyword

type Keyword =
  | 'block'
  | 'break'
  | 'continue'
  | 'dot'
  | 'define'
  | 'else'
  | 'end'
  | 'if'
  | 'nil'
  | 'range'
  | 'template'
  | 'with'

const KEYWORDS: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ['block', 'block'],
  ['break', 'break'],
  ['continue', 'continue'],
  ['define', 'define'],
  ['else', 'else'],
  ['end', 'end'],
  ['if', 'if'],
  ['nil', 'nil'],
  ['range', 'range'],
  ['template', 'template'],
  ['with', 'with'],
])
const KEYWORD_KINDS: ReadonlySet<TokenKind> = new Set([...KEYWORDS.values(), 'dot'])

/** What `hasFunction` says before the functions are known: any word may be one but those that end or continue a loop. */
export function mayBeFunction(word: string): boolean {
  return word !== 'break' && word !== 'continue'
}

export interface Token {
  readonly kind: TokenKind
  /** Offset in UTF-16 code units. */
  readonly position: number
  /** The source text of the token, or an error's message. */
  readonly text: string
}

const SPACE = 1
const ALPHANUMERIC = 2
const DIGIT = 4
/** Classes of ASCII characters. */
const CLASS = new Uint8Array(128)
for (const character of ' \t\r\n') CLASS[character.charCodeAt(0)] = SPACE
for (const character of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_') {
  CLASS[character.charCodeAt(0)] = ALPHANUMERIC
}
for (const character of '0123456789') CLASS[character.charCodeAt(0)] = ALPHANUMERIC | DIGIT

const LETTER_OR_DIGIT = /[\p{L}\p{Nd}]/u
const COMMENT_START = '/*'
const COMMENT_END = '*/'
const TRIM_MARKER_LENGTH = 2
const DECIMAL_DIGITS = '0123456789_'
const HEX_DIGITS = '0123456789abcdefABCDEF_'
const END = -1

/** How a message shows a token. */
export function describeToken(token: Token): string {
  if (token.kind === 'eof') return 'EOF'
  if (token.kind === 'error') return token.text
  if (KEYWORD_KINDS.has(token.kind)) return `<${token.text}>`
  return utf8Length(token.text) > 10 ? `${quote(firstRunes(token.text, 10))}...` : quote(token.text)
}

/** Cuts a template's source into tokens, one per call of `next`; the same automaton as Go's lexer. */
export class Lexer {
  readonly #source: string
  readonly #left: string
  readonly #right: string
  /** The first code unit of the right delimiter. */
  readonly #rightCode: number
  readonly #isFunction: (name: string) => boolean
  #position = 0
  #start = 0
  #insideAction = false
  #parenthesisDepth = 0
  #failed = false

  /**
   * @param isFunction decides whether `break` and `continue` are names of functions instead of keywords
   */
  constructor(source: string, left: string, right: string, isFunction: (name: string) => boolean) {
    this.#source = source
    this.#left = left
    this.#right = right
    this.#rightCode = right.charCodeAt(0)
    this.#isFunction = isFunction
  }

  /** How far the text was read. */
  get position(): number {
    return this.#position
  }

  /** The next token; at the end, and after an error, there is no more text. */
  next(): Token {
    if (this.#failed) return this.#insideAction ? this.#failure('unclosed action') : this.#token('eof')
    return this.#insideAction ? this.#insideActionToken() : this.#textToken()
  }

  /** @param text the token's text, if known: cutting it out takes longer */
  #token(kind: TokenKind, text = this.#source.slice(this.#start, this.#position)): Token {
    const start = this.#start
    this.#start = this.#position
    return { kind, position: start, text }
  }

  #failure(message: string): Token {
    this.#failed = true
    return { kind: 'error', position: this.#start, text: message }
  }

  #skipTo(position: number): void {
    this.#position = position
    this.#start = position
  }

  #textToken(): Token {
    for (;;) {
      const delimiter = this.#source.indexOf(this.#left, this.#position)
      if (delimiter < 0) return this.#lastText()
      if (delimiter > this.#position) {
        const end = this.#textEnd(delimiter)
        this.#position = end
        const token = this.#token('text')
        this.#skipTo(delimiter)
        if (token.text !== '') return token
      }
      const token = this.#leftDelimiter()
      if (token !== null) return token
    }
  }

  #lastText(): Token {
    this.#position = this.#source.length
    return this.#token(this.#position > this.#start ? 'text' : 'eof')
  }

  /** Where the text before a delimiter ends, once a trim marker took its white space. */
  #textEnd(delimiter: number): number {
    if (!this.#hasLeftTrimMarker(delimiter + this.#left.length)) return delimiter
    let end = delimiter
    while (end > this.#start && isSpace(this.#source.charCodeAt(end - 1))) end--
    return end
  }

  /** The left delimiter, or null after a comment, which is not a token. */
  #leftDelimiter(): Token | null {
    const afterDelimiter = this.#position + this.#left.length
    const trims = this.#hasLeftTrimMarker(afterDelimiter)
    const inside = trims ? afterDelimiter + TRIM_MARKER_LENGTH : afterDelimiter
    if (this.#source.startsWith(COMMENT_START, inside)) {
      this.#skipTo(inside)
      return this.#comment()
    }
    this.#position = afterDelimiter
    const token = this.#token('left-delimiter', this.#left)
    this.#insideAction = true
    this.#skipTo(inside)
    this.#parenthesisDepth = 0
    return token
  }

  #comment(): Token | null {
    const end = this.#source.indexOf(COMMENT_END, this.#position + COMMENT_START.length)
    if (end < 0) return this.#failure('unclosed comment')
    const afterComment = end + COMMENT_END.length
    const delimiter = this.#rightDelimiterAt(afterComment)
    if (delimiter === 0) return this.#failure('comment ends before closing delimiter')
    this.#skipTo(this.#afterRightDelimiter(afterComment, delimiter))
    return null
  }

  /** 0 if there is no right delimiter, 1 for a plain one, 2 for one with a trim marker. */
  #rightDelimiterAt(position: number): number {
    const source = this.#source
    if (isSpace(source.charCodeAt(position)) && source.charCodeAt(position + 1) === 0x2d) {
      if (this.#isRightAt(position + TRIM_MARKER_LENGTH)) return 2
    }
    return this.#isRightAt(position) ? 1 : 0
  }

  /** Its first character decides almost always, without a call (`bench:template`, parse and compile). */
  #isRightAt(position: number): boolean {
    const source = this.#source
    return source.charCodeAt(position) === this.#rightCode && source.startsWith(this.#right, position)
  }

  #afterRightDelimiter(position: number, delimiter: number): number {
    if (delimiter === 1) return position + this.#right.length
    let end = position + TRIM_MARKER_LENGTH + this.#right.length
    while (isSpace(this.#source.charCodeAt(end))) end++
    return end
  }

  #rightDelimiter(delimiter: number): Token {
    const start = this.#position
    if (delimiter === 2) this.#skipTo(start + TRIM_MARKER_LENGTH)
    this.#position += this.#right.length
    const token = this.#token('right-delimiter', this.#right)
    this.#skipTo(this.#afterRightDelimiter(start, delimiter))
    this.#insideAction = false
    return token
  }

  #insideActionToken(): Token {
    const delimiter = this.#rightDelimiterAt(this.#position)
    if (delimiter !== 0) {
      return this.#parenthesisDepth === 0
        ? this.#rightDelimiter(delimiter)
        : this.#failure('unclosed left paren')
    }
    const code = this.#codeAt(this.#position)
    if (code === END) return this.#failure('unclosed action')
    if (isSpace(code)) return this.#space()
    // A dot that ends the text is the start of a number to Go.
    const isLast = this.#position + 1 >= this.#source.length
    if (code === 0x2e && !isLast && !isDigit(this.#source.charCodeAt(this.#position + 1))) {
      return this.#fieldOrVariable('field')
    }
    if (code === 0x2e || code === 0x2b || code === 0x2d || isDigit(code)) return this.#number()
    if (isAlphanumeric(code)) return this.#identifier()
    return this.#punctuation(code)
  }

  #punctuation(code: number): Token {
    this.#position += code > 0xffff ? 2 : 1
    switch (code) {
      case 0x3d:
        return this.#token('assign')
      case 0x3a:
        return this.#declare()
      case 0x7c:
        return this.#token('pipe')
      case 0x22:
        return this.#quoted(code, 'string', 'unterminated quoted string')
      case 0x60:
        return this.#rawString()
      case 0x24:
        this.#position--
        return this.#fieldOrVariable('variable')
      case 0x27:
        return this.#quoted(code, 'char-constant', 'unterminated character constant')
      case 0x28:
        this.#parenthesisDepth++
        return this.#token('left-parenthesis')
      case 0x29:
        return --this.#parenthesisDepth < 0
          ? this.#failure('unexpected right paren')
          : this.#token('right-parenthesis')
      default:
        return code > 0x20 && code < 0x7f
          ? this.#token('char')
          : this.#failure(`unrecognized character in action: ${describeRune(code)}`)
    }
  }

  #declare(): Token {
    if (this.#source.charCodeAt(this.#position) !== 0x3d) return this.#failure('expected :=')
    this.#position++
    return this.#token('declare')
  }

  /** A run of spaces, except a last one that belongs to a trim marker. */
  #space(): Token {
    let end = this.#position
    while (isSpace(this.#source.charCodeAt(end))) end++
    if (this.#rightDelimiterAt(end - 1) === 2) {
      end--
      if (end === this.#position) return this.#rightDelimiter(2)
    }
    this.#position = end
    return this.#token('space')
  }

  #identifier(): Token {
    this.#skipAlphanumeric()
    const code = this.#codeAt(this.#position)
    if (!this.#atTerminator(code)) return this.#failure(`bad character ${describeRune(code)}`)
    const word = this.#source.slice(this.#start, this.#position)
    return this.#token(this.#kindOfWord(word), word)
  }

  #kindOfWord(word: string): TokenKind {
    if (word === 'true' || word === 'false') return 'bool'
    const keyword = KEYWORDS.get(word)
    if (keyword === undefined) return 'identifier'
    const mayBeFunction = keyword === 'break' || keyword === 'continue'
    return mayBeFunction && this.#isFunction(word) ? 'identifier' : keyword
  }

  #fieldOrVariable(kind: 'field' | 'variable'): Token {
    this.#position++
    if (this.#atTerminator(this.#codeAt(this.#position))) return this.#token(kind === 'field' ? 'dot' : kind)
    this.#skipAlphanumeric()
    const code = this.#codeAt(this.#position)
    return this.#atTerminator(code) ? this.#token(kind) : this.#failure(`bad character ${describeRune(code)}`)
  }

  #skipAlphanumeric(): void {
    let code = this.#codeAt(this.#position)
    while (isAlphanumeric(code)) {
      this.#position += code > 0xffff ? 2 : 1
      code = this.#codeAt(this.#position)
    }
  }

  /** True if an identifier may end before this character. */
  #atTerminator(code: number): boolean {
    switch (code) {
      case END:
      case 0x20:
      case 0x09:
      case 0x0d:
      case 0x0a:
      case 0x2e:
      case 0x2c:
      case 0x7c:
      case 0x3a:
      case 0x29:
      case 0x28:
        return true
      default:
        return this.#isRightAt(this.#position)
    }
  }

  #quoted(delimiter: number, kind: TokenKind, message: string): Token {
    for (;;) {
      let code = this.#codeUnit()
      if (code === delimiter) return this.#token(kind)
      if (code === 0x5c) code = this.#escapedUnit()
      if (code === END || code === 0x0a) return this.#failure(message)
    }
  }

  /** Skips an escaped character, which ends the literal only if it is a line feed or missing. */
  #escapedUnit(): number {
    const code = this.#codeUnit()
    return code === END || code === 0x0a ? code : 0
  }

  #rawString(): Token {
    const end = this.#source.indexOf('`', this.#position)
    if (end < 0) return this.#failure('unterminated raw quoted string')
    this.#position = end + 1
    return this.#token('raw-string')
  }

  #number(): Token {
    let complex = false
    let valid = this.#scanNumber()
    const sign = this.#source.charCodeAt(this.#position)
    if (valid && (sign === 0x2b || sign === 0x2d)) {
      complex = true
      valid = this.#scanNumber() && this.#source.charCodeAt(this.#position - 1) === 0x69
    }
    if (valid) return this.#token(complex ? 'complex' : 'number')
    return this.#failure(`bad number syntax: ${quote(this.#source.slice(this.#start, this.#position))}`)
  }

  #scanNumber(): boolean {
    this.#accept('+-')
    const digits = this.#acceptPrefix()
    this.#acceptRun(digits)
    if (this.#accept('.')) this.#acceptRun(digits)
    if (this.#accept(exponentLetters(digits))) {
      this.#accept('+-')
      this.#acceptRun(DECIMAL_DIGITS)
    }
    this.#accept('i')
    const code = this.#codeAt(this.#position)
    if (!isAlphanumeric(code)) return true
    this.#position += code > 0xffff ? 2 : 1
    return false
  }

  /** Skips a base prefix and says which digits may follow. */
  #acceptPrefix(): string {
    if (!this.#accept('0')) return DECIMAL_DIGITS
    if (this.#accept('xX')) return HEX_DIGITS
    if (this.#accept('oO')) return '01234567_'
    return this.#accept('bB') ? '01_' : DECIMAL_DIGITS
  }

  #accept(characters: string): boolean {
    if (this.#atEnd() || !characters.includes(this.#source.charAt(this.#position))) return false
    this.#position++
    return true
  }

  #acceptRun(characters: string): void {
    while (this.#accept(characters)) {
      // The condition does the work.
    }
  }

  #atEnd(): boolean {
    return this.#position >= this.#source.length
  }

  #codeUnit(): number {
    return this.#atEnd() ? END : this.#source.charCodeAt(this.#position++)
  }

  #codeAt(position: number): number {
    return this.#source.codePointAt(position) ?? END
  }

  #hasLeftTrimMarker(position: number): boolean {
    return this.#source.charCodeAt(position) === 0x2d && isSpace(this.#source.charCodeAt(position + 1))
  }
}

/** The number of line feeds in a part of the source. */
export function countLines(source: string, start: number, end: number): number {
  let lines = 0
  for (let at = source.indexOf('\n', start); at >= 0 && at < end; at = source.indexOf('\n', at + 1)) lines++
  return lines
}

function exponentLetters(digits: string): string {
  if (digits === DECIMAL_DIGITS) return 'eE'
  return digits === HEX_DIGITS ? 'pP' : ''
}

function isSpace(code: number): boolean {
  return code < 128 && CLASS[code] === SPACE
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

function isAlphanumeric(code: number): boolean {
  if (code < 128) return ((CLASS[code] ?? 0) & ALPHANUMERIC) !== 0
  return LETTER_OR_DIGIT.test(String.fromCodePoint(code))
}

/** Go's `%#U`. */
function describeRune(code: number): string {
  const rune = code >= 0xd800 && code <= 0xdfff ? 0xfffd : code
  const name = `U+${rune.toString(16).toUpperCase().padStart(4, '0')}`
  return isPrint(rune) ? `${name} '${String.fromCodePoint(rune)}'` : name
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length
}

function firstRunes(text: string, count: number): string {
  return [...text].slice(0, count).join('')
}
