/** Objects with fewer names are asked for them. */
const MANY = 16_384

const known = new WeakMap<object, readonly string[]>()
/** Most processes never see such an object, and look nothing up. */
let isAnyKnown = false

/**
 * The names of an object, in their order. V8 gathers those of an object with very many in one piece, 20 ms for 100,000,
 * even where a loop over them ends at the first one: of what the parser made in pieces they are known.
 */
export function namesOf(object: object): readonly string[] {
  return (isAnyKnown ? known.get(object) : undefined) ?? Object.keys(object)
}

/** The same as a list that may be sorted: only names that are known are copied (`bench:template`, objects). */
export function ownNamesOf(object: object): string[] {
  const shared = isAnyKnown ? known.get(object) : undefined
  return shared === undefined ? Object.keys(object) : [...shared]
}

/** How many names an object has whose names are known; undefined for any other. */
export function knownCount(object: object): number | undefined {
  return isAnyKnown ? known.get(object)?.length : undefined
}

/** Gathers the names of an object that is made in pieces and never changes afterwards. */
export class NamesOfParts {
  readonly #names: string[] = []
  #isOrdered = true

  /** @param isNew whether the object did not have it before */
  add(name: string, isNew: boolean): void {
    // Names that are numbers come first in an object, whenever they were added.
    if (isIndex(name)) this.#isOrdered = false
    else if (isNew) this.#names.push(name)
  }

  remember(object: object): void {
    if (!this.#isOrdered || this.#names.length < MANY) return
    isAnyKnown = true
    known.set(object, this.#names)
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
