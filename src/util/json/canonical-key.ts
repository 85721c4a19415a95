import { createHash } from 'node:crypto'
import { createSlicer, pause } from '../slices/pause.js'
import { runSliced, type Sliced } from '../slices/sliced.js'
import { sortInPieces } from '../slices/sort-in-pieces.js'
import { canonicalJson } from './canonical-json.js'
import { isJsonObject, type JsonObject } from './json.js'
import { knownCount, namesOf } from './names-of.js'

/** What is written in one piece, in characters of texts and names. */
const SMALL = 16_384
/** What each value counts beside them. */
const PER_VALUE = 8
/** Characters that are hashed together. */
const PIECE = 32_768

/**
 * A key that is equal for equal values, whatever the order of their properties: small values as canonical JSON, of large
 * ones a digest (SHA-256 in hexadecimal), for which others get their turn.
 */
export function canonicalKey(value: unknown): string | Promise<string> {
  return isSmall(value) ? canonicalJson(value) : digestInTurns(value)
}

async function digestInTurns(value: unknown): Promise<string> {
  await pause()
  return runSliced(new Digest().of(value), createSlicer())
}

class Digest {
  readonly #hash = createHash('sha256')
  #text = ''

  #flush(): void {
    this.#hash.update(this.#text)
    this.#text = ''
  }

  *of(value: unknown): Sliced<string> {
    yield* this.#add(value)
    return this.#hash.update(this.#text).digest('hex')
  }

  *#add(value: unknown): Sliced<void> {
    if (isSmall(value)) this.#text += canonicalJson(value)
    else if (Array.isArray(value)) yield* this.#addItems(value)
    else if (isJsonObject(value)) yield* this.#addMembers(value)
    else yield* this.#addText(String(value))
    if (this.#text.length >= PIECE) yield this.#flush()
  }

  *#addItems(items: readonly unknown[]): Sliced<void> {
    for (const [index, item] of items.entries()) {
      this.#text += index === 0 ? '[' : ','
      yield* this.#add(item)
    }
    this.#text += ']'
  }

  *#addMembers(object: JsonObject): Sliced<void> {
    this.#text += '{'
    for (const name of yield* sortInPieces(namesOf(object))) {
      yield* this.#add(name)
      this.#text += ':'
      yield* this.#add(object[name] ?? null)
      this.#text += ','
    }
    this.#text += '}'
  }

  /** As one text after the other, which JSON never has. */
  *#addText(text: string): Sliced<void> {
    for (let start = 0; start < text.length; start += PIECE) {
      this.#text += JSON.stringify(text.slice(start, start + PIECE))
      yield this.#flush()
    }
  }
}

function isSmall(value: unknown): boolean {
  return leftAfter(value, SMALL) >= 0
}

/** How many of these characters a value leaves; negative for a larger value, which is not walked to its end. */
function leftAfter(value: unknown, characters: number): number {
  let left = characters - PER_VALUE
  if (typeof value === 'string') return left - value.length
  if (Array.isArray(value)) {
    for (const item of value) {
      if (left < 0) break
      left = leftAfter(item, left)
    }
  } else if (isJsonObject(value)) {
    if ((knownCount(value) ?? 0) > left) return -1
    for (const name in value) {
      if (left < 0) break
      left = leftAfter(value[name] ?? null, left - name.length)
    }
  }
  return left
}
