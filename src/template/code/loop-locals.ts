import { inOnePiece } from '../format/in-one-piece.js'
import { FieldPhrase } from './phrase.js'

/** What a local is, as the first part of its name. */
export type LocalWord = 'variable' | 'container' | 'dot' | 'list' | 'cursor' | 'index' | 'length' | 'item'

/** The locals of one loop, and the code that names nothing but them. */
export interface LoopLocals {
  readonly list: string
  readonly item: string
  readonly length: string
  /** Opens the loop, up to the cursor of what is not a plain list. */
  readonly open: string
  /** What follows the cursor. */
  readonly opened: string
  /** The head of the loop behind its label. */
  readonly head: string
  /** Gets the element of a round. */
  readonly bind: string
  /** The key of a round: the index in a list, the key in a map. */
  readonly key: string
  /** Reads a field of the element. */
  readonly read: FieldPhrase
  /** Declares all of them. */
  readonly declared: string
}

/** Up to this local the loops of all programs share what is written of them. */
const MAX_KNOWN = 40
/** By the number of the first local. Gain: `bench:template`, parse and compile, "few-shot" 0.89 with what else is made once. */
const KNOWN: (LoopLocals | undefined)[] = []

/** How many locals a loop has. */
export const LOOP_LOCALS = 5

/** The locals of a loop whose names have the numbers from this one on. */
export function loopLocalsFrom(first: number): LoopLocals {
  const known = KNOWN[first]
  if (known !== undefined) return known
  let number = first
  const locals = loopLocals((word) => `${word}${number++}`)
  if (first < MAX_KNOWN) KNOWN[first] = locals
  return locals
}

/** The locals of a loop by the names that they get. */
export function loopLocals(nameOf: (word: LocalWord) => string): LoopLocals {
  const [list, cursor, index, length, item] = [
    nameOf('list'),
    nameOf('cursor'),
    nameOf('index'),
    nameOf('length'),
    nameOf('item'),
  ]
  return {
    list,
    item,
    length,
    open: inOnePiece(
      `if(isArray(${list})){${cursor}=null;${length}=${list}.length}else{${cursor}=openLoop(run,${list},`,
    ),
    opened: inOnePiece(`;${length}=${cursor}.length}`),
    head: inOnePiece(`for(${index}=0;${index}<${length};${index}++){`),
    bind: inOnePiece(`${item}=${cursor}===null?${list}[${index}]:elementAt(${cursor},${index});`),
    key: inOnePiece(`${cursor}===null||${cursor}.keys===null?${index}:${cursor}.keys[${index}]`),
    read: new FieldPhrase(item, list),
    declared: inOnePiece(`,${list},${cursor},${index},${length},${item}`),
  }
}
