import { at } from '../../util/at.js'
import type { ListItem, ListNode, Operand, PipeNode } from '../ast.js'
import type { Program } from '../program.js'
import { type Helpers, helpersFor } from '../run/operations.js'
import type { RunTemplate } from '../run/run.js'
import type { Steps } from '../run/steps.js'
import type { Value } from '../value.js'
import { Constants } from './constants.js'
import { compileApart, compileOnce, compileSource, type Factory } from './factory.js'
import { type Source, sourceOf } from './source.js'

/** Programs with more actions and operands are generated and compiled part by part, as a render reaches them. */
const LARGE_PROGRAM = 600
/** How much of a list becomes one part: compiling it takes a few milliseconds at most. */
const PART_SIZE = 100
/** Lists below this stay where they are. */
const LONG_LIST = 150
/** What the call of a part weighs. */
const CALL_SIZE = 3

/** What a part of a large template runs; `element` and `locals` are those of the function around it. */
type RunPart = (...around: [...Parameters<RunTemplate>, locals: unknown[]]) => string | Steps<string>

/** A stretch of a list that is generated when it is first reached. */
export class ListPart {
  #run: RunPart | null = null
  readonly #make: () => RunPart

  constructor(make: () => RunPart) {
    this.#make = make
  }

  get isReady(): boolean {
    return this.#run !== null
  }

  get(): RunPart {
    this.#run ??= this.#make()
    return this.#run
  }
}

/** Makes the parts of one program and gives them what its functions share. */
export class PartLinker {
  /** The templates' functions, once they are made. */
  readonly functions: RunTemplate[] = []
  readonly #helpers: Helpers
  readonly #escapeText: ((text: string) => string) | null

  constructor(program: Program, escapeText: ((text: string) => string) | null) {
    this.#helpers = helpersFor(program.rules)
    this.#escapeText = escapeText
  }

  /**
   * Makes the templates' functions from their source.
   *
   * @returns what makes them again, for this program alone, if others were made of the same source
   */
  compile(source: Source, constants: Constants): () => void {
    const compiled = compileSource<RunTemplate>(source)
    const values = constants.values(this.#escapeText)
    this.#make(compiled.factory, values)
    return () => {
      if (compiled.isShared()) this.#make(compileApart<RunTemplate>(compiled.source), values)
    }
  }

  /** Makes the templates' functions for one render. */
  compileOnce(source: Source, constants: Constants): void {
    this.#make(compileOnce<RunTemplate>(source), constants.values(this.#escapeText))
  }

  /** Makes a function of source that is for this program alone. */
  compileApart<T>(source: Source, constants: Constants): T {
    return at(this.#functionsOf(compileApart<T>(source), constants.values(this.#escapeText)), 0)
  }

  #make(factory: Factory<RunTemplate>, values: readonly Value[]): void {
    this.#functionsOf(factory, values).forEach((run, index) => {
      this.functions[index] = run
    })
  }

  #functionsOf<T>(factory: Factory<T>, values: readonly Value[]): readonly T[] {
    return factory(this.functions, this.#helpers, values)
  }

  /** A part from what generates its source. */
  link(generate: (constants: Constants) => string): ListPart {
    return new ListPart(() => {
      const constants = new Constants()
      const code = generate(constants)
      const values = constants.values(this.#escapeText)
      const { factory } = compileSource<RunPart>(sourceOf(constants, code))
      return at(this.#functionsOf(factory, values), 0)
    })
  }
}

/** Whether compiling a whole program at once would hold the event loop. */
export function isLargeProgram(program: Program): boolean {
  // Whatever counts takes a character at least.
  if (program.source.length <= LARGE_PROGRAM) return false
  let size = 0
  for (const list of program.templates.values()) size += 1 + fullSize(list)
  return size > LARGE_PROGRAM
}

/** Whether a list of a large program is cut into parts. */
export function isLongList(list: ListNode): boolean {
  return ownSize(list) > LONG_LIST
}

/** A list in stretches of about the same size. */
export function partsOf(list: ListNode): ListItem[][] {
  const parts: ListItem[][] = []
  let size = PART_SIZE
  for (const node of list.nodes) {
    if (size >= PART_SIZE) {
      parts.push([])
      size = 0
    }
    parts.at(-1)?.push(node)
    size += itemSize(node, ownSizeOrCall)
  }
  return parts
}

function fullSize(list: ListNode): number {
  return list.nodes.reduce((size, node) => size + itemSize(node, fullSize), 0)
}

/** A pure memo: trees do not change once they are parsed. */
const ownSizes = new WeakMap<ListNode, number>()

/** The size of a list without the lists in it that become parts. */
function ownSize(list: ListNode): number {
  const known = ownSizes.get(list)
  if (known !== undefined) return known
  const size = list.nodes.reduce((sum, node) => sum + itemSize(node, ownSizeOrCall), 0)
  ownSizes.set(list, size)
  return size
}

function ownSizeOrCall(list: ListNode): number {
  return isLongList(list) ? CALL_SIZE * Math.ceil(ownSize(list) / PART_SIZE) : ownSize(list)
}

function itemSize(node: ListItem, sizeOf: (list: ListNode) => number): number {
  let size = 1
  if ('pipe' in node && node.pipe !== null) size += pipeSize(node.pipe)
  if ('list' in node) size += sizeOf(node.list)
  if ('elseList' in node && node.elseList !== null) size += sizeOf(node.elseList)
  return size
}

function pipeSize(pipe: PipeNode): number {
  let size = 0
  for (const { operands } of pipe.commands) {
    for (const operand of operands) size += operandSize(operand)
  }
  return size
}

function operandSize(operand: Operand): number {
  if (operand.kind === 'pipe') return 1 + pipeSize(operand)
  return operand.kind === 'chain' ? 1 + operandSize(operand.operand) : 1
}
