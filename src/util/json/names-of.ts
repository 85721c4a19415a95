/** Objects with fewer names are asked for them. */
const MANY = 16_384

interface Known {
  readonly count: number
  /** In their order, where that is the one in which they were added. */
  readonly names: readonly string[] | undefined
}

const known = new WeakMap<object, Known>()
/** Most processes never see such an object, and look nothing up. */
let isAnyKnown = false

/**
 * The names of an object, in their order. V8 gathers those of an object with very many in one piece, 20 ms for 100,000,
 * even where a loop over them ends at the first one: of what the parser made in pieces they are known.
 */
export function namesOf(object: object): readonly string[] {
  return knownNames(object) ?? Object.keys(object)
}

/** The names of an object as a list of the caller's own, which may be sorted: only names that are known are copied (`bench:template`, objects). */
export function ownNamesOf(object: object): string[] {
  const shared = knownNames(object)
  return shared === undefined ? Object.keys(object) : [...shared]
}

/** How many names an object has, if that is known without gathering them. */
export function knownCount(object: object): number | undefined {
  return isAnyKnown ? known.get(object)?.count : undefined
}

/** How many names an object has: gathered, unless that is known. */
export function countNames(object: object): number {
  return knownCount(object) ?? Object.keys(object).length
}

function knownNames(object: object): readonly string[] | undefined {
  return isAnyKnown ? known.get(object)?.names : undefined
}

/** Gathers the names of an object that is made in pieces and never changes afterwards. */
export class NamesOfParts {
  readonly #names: string[] = []
  #indexes = 0

  /** @param isNew whether the object did not have it before */
  add(name: string, isNew: boolean): void {
    if (!isNew) return
    // Names that are numbers come first in an object, whenever they were added.
    if (isIndex(name)) this.#indexes += 1
    else this.#names.push(name)
  }

  remember(object: object): void {
    const count = this.#names.length + this.#indexes
    if (count < MANY) return
    isAnyKnown = true
    known.set(object, { count, names: this.#indexes === 0 ? this.#names : undefined })
  }
}

const DIGIT_0 = 48
const DIGIT_9 = 57
/** Of 2^32 − 1. */
const LONGEST_INDEX = 10

/** Whether a name may be an index of a list: more than those that are does no harm. */
function isIndex(name: string): boolean {
  if (name.length === 0 || name.length > LONGEST_INDEX) return false
  const first = name.charCodeAt(0)
  if (first < DIGIT_0 || first > DIGIT_9) return false
  return /^\d+$/.test(name)
}
