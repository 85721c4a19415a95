import { inOnePiece } from '../format/in-one-piece.js'
import { constantName } from './constants.js'

/** Up to this index a phrase is kept: those of short programs. */
const MAX_KEPT = 100

/**
 * Code that differs from place to place by the index of a constant alone. It is made once for each index, for all programs:
 * the fewer pieces a source is put together of, the sooner that is done, and the sooner it is read and compared with those
 * that are known. Gain: `bench:template`, parse and compile, 0.93 of the time for "system prompt", 0.86 for "few-shot".
 */
export class Phrase {
  readonly #known: (string | undefined)[] = []
  readonly #write: (index: number) => string

  /** @param write the code by the index of its first constant; others follow that one */
  constructor(write: (index: number) => string) {
    this.#write = write
  }

  at(index: number): string {
    const known = this.#known[index]
    if (known !== undefined) return known
    const code = inOnePiece(this.#write(index))
    if (index < MAX_KEPT) this.#known[index] = code
    return code
  }
}

/** Reads a field of one local, by the constant of the field's name, which that of its place follows. */
export class FieldPhrase extends Phrase {
  readonly #local: string
  readonly #container: string

  /** @param container an expression for the list or map that the local's value is an element of */
  constructor(local: string, container = '') {
    super((index) => {
      const read = `${local}?.[${constantName('name', index)}]`
      return fieldCode(read, constantName('fieldSite', index + 1), local, container)
    })
    this.#local = local
    this.#container = container
  }

  /** False for a variable that was made of the one that the phrase is for. */
  isOf({ local, container }: { readonly local: string; readonly container: string }): boolean {
    return local === this.#local && container === this.#container
  }
}

/** Reads a field, or what is nothing Go's way. */
export function fieldCode(read: string, site: string, local: string, container: string): string {
  const more = container === '' ? '' : `,${container}`
  return `((value=${read})!==undefined?value:run.field(${site},${local}${more}))`
}
