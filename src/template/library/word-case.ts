import { at } from '../../util/at.js'
import { wellFormed } from '../format/byte-string.js'
import { isSpace, isUpper, lowerRune, upperRune } from './letter-case.js'

type WordKind = 'number' | 'upper' | 'letters' | 'connector' | 'punctuation' | 'other' | 'none'

interface Word {
  readonly kind: WordKind
  readonly text: string
}

const PUNCTUATION = /^\p{P}$/u
const NUMBER = /^\p{N}$/u
const LETTER = /^\p{L}$/u
const CHINESE = /^[\u4e00-\u9fcc\u3400-\u4d85\u{20000}-\u{2b81d}]$/u
const NO_WORD: Word = { kind: 'none', text: '' }

/** xstrings.ToSnakeCase. */
export function toSnakeCase(text: string): string {
  return connectWords(text, '_')
}

/** xstrings.ToKebabCase. */
export function toKebabCase(text: string): string {
  return connectWords(text, '-')
}

/** xstrings.ToCamelCase: `http_server` to `HttpServer`; leading connectors stay. */
export function toCamelCase(text: string): string {
  const characters = [...wellFormed(text)]
  const start = characters.findIndex((character) => !isConnector(character))
  // xstrings repeats the last of nothing but connectors.
  if (start < 0) return text + (characters.at(-1) ?? '')
  let result = characters.slice(0, start).join('')
  let pending = upperRune(at(characters, start))
  for (const character of characters.slice(start + 1)) {
    const afterConnector = isConnector(pending)
    if (!afterConnector || isConnector(character)) result += pending
    if (isConnector(character)) pending = character
    else pending = afterConnector ? upperRune(character) : lowerRune(character)
  }
  return result + pending
}

/** Words of a text, one after the other. */
class WordReader {
  readonly #characters: readonly string[]
  #position = 0

  constructor(text: string) {
    this.#characters = [...text]
  }

  get isAtEnd(): boolean {
    return this.#position >= this.#characters.length
  }

  next(): Word {
    if (this.isAtEnd) return NO_WORD
    const kind = kindOfWord(at(this.#characters, this.#position))
    const start = this.#position++
    if (kind === 'upper') this.#skipUpperWord()
    else if (kind === 'punctuation') this.#skipPunctuation()
    else this.#skipWhile(kind)
    return { kind, text: this.#characters.slice(start, this.#position).join('') }
  }

  /** Within punctuation, - and _ connect nothing. */
  #skipPunctuation(): void {
    while (!this.isAtEnd && PUNCTUATION.test(at(this.#characters, this.#position))) this.#position++
  }

  /** `HTTPStatus` is HTTP and Status: the last capital belongs to the word after it. */
  #skipUpperWord(): void {
    if (this.#peek() !== 'upper') {
      this.#skipWhile('letters')
      return
    }
    this.#skipWhile('upper')
    if (this.#peek() === 'letters') this.#position--
  }

  #peek(): WordKind {
    return this.isAtEnd ? 'none' : kindOfWord(at(this.#characters, this.#position))
  }

  #skipWhile(kind: WordKind): void {
    while (this.#peek() === kind) this.#position++
  }
}

function connectWords(text: string, connector: string): string {
  if (text === '') return ''
  const reader = new WordReader(text)
  let result = ''
  let word = reader.next()
  const write = (written: Word) => {
    result += lowered(written, connector)
  }
  while (!reader.isAtEnd) {
    const previous = word
    if (previous.kind !== 'connector') write(previous)
    word = reader.next()
    if (previous.kind === 'connector') write(previous)
    else if (previous.kind === 'number') {
      word = writeAlphanumeric(reader, word, write)
      if (isWord(word)) result += connector
    } else if (previous.kind !== 'punctuation') {
      if (word.kind !== 'number') {
        if (isWord(word)) result += connector
      } else if (!reader.isAtEnd) {
        word = writeNumber(reader, word, write, () => {
          result += connector
        })
      }
    }
  }
  write(word)
  return result
}

function writeAlphanumeric(reader: WordReader, first: Word, write: (word: Word) => void): Word {
  let word = first
  while (word.kind === 'letters' || word.kind === 'number') {
    write(word)
    word = reader.next()
  }
  return word
}

/** A number belongs to the word before it unless small letters follow: `bld4_floor`, but `http_2xx`. */
function writeNumber(
  reader: WordReader,
  number: Word,
  write: (word: Word) => void,
  connect: () => void,
): Word {
  let word = reader.next()
  if (word.kind !== 'letters') {
    write(number)
    if (word.kind !== 'connector' && word.kind !== 'punctuation') connect()
    return word
  }
  connect()
  write(number)
  word = writeAlphanumeric(reader, word, write)
  if (isWord(word)) connect()
  return word
}

function isWord({ kind }: Word): boolean {
  return kind !== 'none' && kind !== 'connector' && kind !== 'punctuation'
}

function lowered({ kind, text }: Word, connector: string): string {
  if (kind === 'connector') return connector.repeat([...text].length)
  if (kind !== 'upper') return text
  return [...text].map((character) => (isUpper(character) ? lowerRune(character) : character)).join('')
}

function kindOfWord(character: string): WordKind {
  return ASCII_KINDS[character.charCodeAt(0)] ?? classify(character)
}

function classify(character: string): WordKind {
  if (isConnector(character)) return 'connector'
  if (PUNCTUATION.test(character)) return 'punctuation'
  if (isUpper(character)) return 'upper'
  // xstrings counts Chinese characters as no letters.
  if (LETTER.test(character) && !CHINESE.test(character)) return 'letters'
  return NUMBER.test(character) ? 'number' : 'other'
}

function isConnector(character: string): boolean {
  return character === '-' || character === '_' || isSpace(character)
}

const ASCII_KINDS: readonly WordKind[] = Array.from({ length: 128 }, (_, code) =>
  classify(String.fromCharCode(code)),
)
