import { knownCount, namesOf } from '../../util/json/names-of.js'
import type { CallCost } from '../api.js'
import { needsBytes } from '../format/byte-string.js'
import { LimitError } from '../format/go-error.js'
import { elementsOf, entriesOf, kindOf, listLength } from '../format/kind.js'
import { MAX_NESTING } from '../limits.js'
import type { Value } from '../value.js'
import { checkUnits } from './call-units.js'
import { type CostKeeper, KnownCosts, type ReadCounts } from './known-costs.js'

/** Lists up to this length take the short way. */
const SHORT_LIST = 16
const SHORT_TEXTS = 1_000

/** Texts that together are as long as this are asked whether they are well formed. */
export const LONG_TEXT = 2_000
/** Texts in lists are asked from this length on: what shorter ones cost counts as elements. */
const LONG_ITEM = 64
/** Cost of a character in a text with lone surrogates, which is read unit by unit. */
const ILL_FORMED = 12

/** How long a text is to read. */
export function readLength(text: string): number {
  return text.isWellFormed() ? text.length : text.length * ILL_FORMED
}

/** What reading a short list of short texts and numbers costs, in units of about a nanosecond; undefined for any other value. */
export function costOfShortList(
  value: object,
  { perElement, perCharacter, elements }: CallCost,
): number | undefined {
  if (!Array.isArray(value) || value.length > SHORT_LIST) return undefined
  let characters = 0
  for (let i = 0; i < value.length; i++) {
    const item: unknown = value[i]
    if (typeof item === 'string') characters += item.length
    else if (typeof item === 'object' && item !== null) return undefined
  }
  if (characters > SHORT_TEXTS) return undefined
  return value.length * perElement + (elements === 'all' ? characters * perCharacter : 0)
}
/** What has fewer elements is counted again. */
const WORTH_KEEPING = 512
/** How many elements a text or a list in a list counts as: it is found elsewhere. */
const ELEMENTS_PER_ITEM = 2
/** How many elements a member of a small dict counts as; those of large ones take several times as long. */
const ELEMENTS_PER_MEMBER = 3
const LARGE_DICT = 1_000
/** What it takes to gather the keys of a dict, unless it is known how many they are. */
export const PER_KEY = 250
/** How many more keys each key of a dict counts as whose keys are sorted by bytes that are made for it. */
const KEYS_PER_KEY_IN_BYTES = 3
/** Of up to this many keys only those that are not well-formed are looked for. */
const FEW_KEYS = 16
/** What it takes to find the shortest digits of a number that is not whole. */
const PER_FLOAT = 900

/**
 * What reading the lists and dicts of one call costs, added up over all of its arguments; elements that are reached on
 * several paths count on each.
 */
export class ValueCost {
  /** Elements, including members, which count as several elements each. */
  elements = 0
  /** Characters of texts and keys. */
  characters = 0
  #keys = 0
  #floats = 0
  readonly #cost: CallCost
  readonly #keeper: CostKeeper

  constructor(cost: CallCost, keeper: CostKeeper) {
    this.#cost = cost
    this.#keeper = keeper
  }

  /** In units of about a nanosecond. */
  get units(): number {
    const { perElement, perCharacter } = this.#cost
    const apart = this.#keys * PER_KEY + this.#floats * PER_FLOAT
    return this.elements * perElement + this.characters * perCharacter + apart
  }

  /** Adds one argument, as deep as the call reads it. @throws LimitError once it is more than one call may read */
  add(value: object): void {
    const known = this.#keeper.knownCosts?.get(this.#cost, value)
    if (known !== undefined) this.#addKnown(known)
    // A list has its length at hand.
    else if (this.#cost.elements === 'own' && Array.isArray(value)) this.#count(value.length)
    else this.#addNew(value)
  }

  #addNew(value: object): void {
    const { elements, characters } = this
    const [keys, floats] = [this.#keys, this.#floats]
    if (this.#cost.elements === 'all') this.#addAll(value, 0)
    else this.#addOwn(value)
    if (this.elements - elements < WORTH_KEEPING) return
    this.#keeper.knownCosts ??= new KnownCosts()
    this.#keeper.knownCosts.add(this.#cost, value, {
      elements: this.elements - elements,
      characters: this.characters - characters,
      keys: this.#keys - keys,
      floats: this.#floats - floats,
    })
  }

  #addKnown({ elements, characters, keys, floats }: ReadCounts): void {
    this.#keys += keys
    this.#floats += floats
    checkUnits(this.#keys * PER_KEY)
    this.#count(elements)
    this.#read(characters)
  }

  #addOwn(value: object): void {
    const kind = kindOf(value)
    if (kind === 'slice') this.#count(listLength(value))
    // A call that copies lists only reports that a dict is not a list.
    else if (kind === 'map' && this.#cost.perMember > 0) this.#countOwn(entriesOf(value))
  }

  /** How many members a large dict has that came as JSON is known. */
  #countOwn(entries: object): void {
    const known = knownCount(entries)
    if (known === undefined) {
      const names = namesOf(entries)
      this.#countGathered(names.length)
      // A call that only counts them sorts none.
      if (this.#cost.makes && needsBytes(names)) this.#countInBytes(names.length)
    } else this.#countMembers(known)
  }

  #addAll(value: Value, depth: number): void {
    if (typeof value === 'string') this.#addText(value)
    // Values that are nested too deeply are rejected by the code that walks them.
    if (typeof value !== 'object' || value === null || depth > MAX_NESTING) return
    const kind = kindOf(value)
    if (kind === 'slice') {
      if (depth > 0) this.#count(ELEMENTS_PER_ITEM - 1)
      this.#addList(value, depth)
    } else if (kind === 'map') this.#addMap(value, depth)
  }

  #countGathered(members: number): void {
    this.#keys += members
    checkUnits(this.#keys * PER_KEY)
    this.#countMembers(members)
  }

  #countMembers(members: number): void {
    const { perMember, perElement } = this.#cost
    const isLarge = members > LARGE_DICT || perMember === perElement
    this.#count(members * (isLarge ? perMember / perElement : ELEMENTS_PER_MEMBER))
  }

  #count(elements: number): void {
    const { maxElements } = this.#cost
    this.elements += elements
    if (this.elements > maxElements)
      throw new LimitError('width', `value of more than ${maxElements} elements`)
  }

  #addList(value: object, depth: number): void {
    this.#count(listLength(value))
    const items = elementsOf(value)
    for (let i = 0; i < items.length; i++) this.#addItem(items[i], depth)
  }

  /** By its keys, as the values of a very large map take much longer to gather. */
  #addMap(value: object, depth: number): void {
    const entries = entriesOf(value)
    const known = knownCount(entries)
    // What is too large is refused before its keys are gathered.
    if (known !== undefined) this.#countMembers(known)
    const keys = namesOf(entries)
    if (known === undefined) this.#countGathered(keys.length)
    let hasStray = false
    for (const key of keys) {
      const length = readLength(key)
      hasStray ||= length > key.length
      this.#read(length)
      this.#addItem(entries[key], depth)
    }
    if (hasStray || (keys.length > FEW_KEYS && needsBytes(keys))) this.#countInBytes(keys.length)
  }

  #countInBytes(keys: number): void {
    this.#keys += keys * KEYS_PER_KEY_IN_BYTES
    checkUnits(this.#keys * PER_KEY)
  }

  #addItem(item: Value, depth: number): void {
    if (typeof item !== 'number') this.#addAll(item, depth + 1)
    else if (!Number.isInteger(item)) this.#floats++
  }

  #addText(text: string): void {
    this.#count(ELEMENTS_PER_ITEM - 1)
    this.#read(text.length < LONG_ITEM ? text.length : readLength(text))
  }

  #read(characters: number): void {
    const { maxCharacters } = this.#cost
    this.characters += characters
    if (this.characters > maxCharacters) {
      throw new LimitError('width', `texts longer than ${maxCharacters} characters`)
    }
  }
}
