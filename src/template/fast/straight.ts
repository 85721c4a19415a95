// Gain: `bench:template`, "short, 3 variables" to a string 57 → 18 ns, "system prompt of 8 KB" 74 → 32 ns: without it the
// next best engine is faster on both. On in one line: `CompiledTemplate.#straight`. A render with options never takes it:
// what it saves is making a run, and such a render makes one anyway, for its deadline, its signal and what it may spend.
// Of a request to the service that is less than one percent.

import type { ListItem, ListNode, Operand, PipeNode } from '../ast.js'
import { finishBytes } from '../format/byte-string.js'
import type { Program } from '../program.js'
import type { Value } from '../value.js'

/** A straight program as a function of its data. */
type StraightMain = (data: Value) => string

/** A program that renders this often is worth code of its own. */
const RENDERS_BEFORE = 100
const ENCODER = new TextEncoder()
/** At hand: to look it up on strings of every kind takes longer than the check itself. */
const { isWellFormed } = String.prototype

/** The short way to render: it takes what it can do, once there is code for it, and leaves everything else. */
export class Straight {
  readonly #make: () => StraightMain | null
  /** Output of up to this many UTF-16 units is within the limit whatever its characters. */
  readonly #safeLength: number
  #left = RENDERS_BEFORE
  #main: StraightMain | null = null

  /** @param make makes the function, for a straight program */
  constructor(make: () => StraightMain | null, maxOutputBytes: number) {
    this.#make = make
    this.#safeLength = Math.floor(maxOutputBytes / 3)
  }

  /** The text; undefined if the render is left to the general way, which also says what is wrong. */
  render(data: Value): string | undefined {
    const output = this.#output(data)
    // Compared with true, as the engine does not know that it is a boolean.
    return output !== undefined && isWellFormed.call(output) === true ? output : undefined
  }

  /** Writes the bytes. @returns how many there are, or −1 if the render is left to the general way */
  renderInto(data: Value, target: Uint8Array): number {
    const output = this.#output(data)
    if (output === undefined) return -1
    const { read, written } = ENCODER.encodeInto(output, target)
    // Anything but ASCII takes more bytes than characters.
    const isAscii = read === written && read === output.length
    return isAscii ? written : finishBytes(output, target, read, written)
  }

  #output(data: Value): string | undefined {
    if (this.#left > 0 && --this.#left === 0) this.#main = this.#make()
    if (this.#main === null) return undefined
    try {
      const output = this.#main(data ?? undefined)
      return output.length <= this.#safeLength ? output : undefined
    } catch {
      return undefined
    }
  }
}

/** Operands that can be a whole pipeline without a call. */
const PLAIN_OPERANDS: ReadonlySet<Operand['kind']> = new Set([
  'dot',
  'field',
  'variable',
  'bool',
  'number',
  'string',
])

/**
 * True for a program of texts and data, some of it on a condition: its renders take no steps, call nothing and wait
 * for nothing. They leave their run as it was, so that one run serves them all, at the same time too.
 */
export function isStraight(program: Program): boolean {
  const { name, root, templates } = program
  return templates.get(name) === root && isStraightList(root)
}

function isStraightList({ nodes }: ListNode): boolean {
  return nodes.every(isStraightItem)
}

function isStraightItem(item: ListItem): boolean {
  switch (item.kind) {
    case 'text':
      return true
    case 'action':
      return isPlain(item.pipe)
    case 'if':
    case 'with':
      return (
        isPlain(item.pipe) &&
        isStraightList(item.list) &&
        (item.elseList === null || isStraightList(item.elseList))
      )
    default:
      return false
  }
}

function isPlain({ commands }: PipeNode): boolean {
  const [command, ...more] = commands
  if (command === undefined || more.length > 0) return false
  const [operand, ...others] = command.operands
  return operand !== undefined && others.length === 0 && PLAIN_OPERANDS.has(operand.kind)
}
