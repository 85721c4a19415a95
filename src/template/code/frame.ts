import type { Node, PipeNode } from '../ast.js'
import type { HelperName } from '../run/operations.js'
import type { Origin } from '../run/origin.js'
import type { Site } from '../site.js'
import type { CodeContext } from './context.js'
import { DYNAMIC, lastOfPipe, type Visited } from './expressions/places.js'
import { LOOP_LOCALS, type LocalWord, type LoopLocals, loopLocals, loopLocalsFrom } from './loop-locals.js'
import type { Scope } from './scope.js'
import { originOf } from './tracing.js'

/** One JavaScript function while its code is made: the locals it declares, and what its code names. */
export class Frame {
  readonly context: CodeContext
  /** What declares the locals, and how many there are. */
  #locals = ''
  #localCount = 0
  /** Temporaries in use, by depth. */
  #temporaries = 0
  #mostTemporaries = 0
  #usesBudget = false

  constructor(context: CodeContext) {
    this.context = context
  }

  /** What the function declares, once the rest of its code is made. */
  declarations(): string {
    let temporaries = ''
    for (let i = 0; i < this.#mostTemporaries; i++) temporaries += `,temporary${i}`
    const budget = this.#usesBudget ? ';const budget=run.budget;' : ';'
    return `let due="",value,receiver${temporaries}${this.#locals}${budget}`
  }

  /** A local that lives as long as the function, or the template that the function is a part of. */
  newLocal(word: LocalWord): string {
    const { shared } = this.context
    if (shared !== null) return `locals[${shared.count++}]`
    const local = `${word}${this.#localCount++}`
    this.#locals += `,${local}`
    return local
  }

  /** The locals of a loop, and the helpers that its code calls. */
  newLoopLocals(): LoopLocals {
    this.use('openLoop')
    this.use('isArray')
    this.use('elementAt')
    if (this.context.shared !== null) return loopLocals((word) => this.newLocal(word))
    const locals = loopLocalsFrom(this.#localCount)
    this.#localCount += LOOP_LOCALS
    this.#locals += locals.declared
    return locals
  }

  /** Makes code that has a local for as long as it is evaluated. */
  withTemporary<Code>(make: (local: string) => Code): Code {
    const local = `temporary${this.#temporaries++}`
    this.#mostTemporaries = Math.max(this.#mostTemporaries, this.#temporaries)
    const code = make(local)
    this.#temporaries--
    return code
  }

  /** The name of a helper. */
  use(helper: HelperName): string {
    return this.context.constants.use(helper)
  }

  /** A node as a place. */
  siteOf(node: Node): Site {
    const { generation, template } = this.context
    return { program: generation.program, template, node }
  }

  /** The site of what was visited last, or null where the place depends on the run. */
  visitedSite(at: Visited): Site | null {
    return at === DYNAMIC ? null : this.siteOf(at)
  }

  /** The constant with the place of a node. */
  site(node: Node): string {
    return this.context.constants.add(this.siteOf(node), 'site')
  }

  /** The constant of the site that a pipeline visits last; `null` where that depends on the run. */
  lastSite(pipe: PipeNode): string {
    const node = lastOfPipe(pipe)
    return node === DYNAMIC ? this.context.constants.add(null) : this.site(node)
  }

  /** An expression that throws. */
  failure(at: Visited, message: string): string {
    const site = at === DYNAMIC ? 'run.at' : this.site(at)
    return `${this.use('fail')}(${site},${this.context.constants.add(message)})`
  }

  /** The truth of a value held in a local that may be assigned. */
  truth(local: string): string {
    const settle = this.context.generation.mode.settle(local, this.context.constants)
    const truth = `${local}===true||${local}!==false&&${this.use('isTrue')}(${local})`
    return settle === '' ? `(${truth})` : `(${settle},${truth})`
  }

  /** Counts a round of a loop. */
  tick(site: string): string {
    this.#usesBudget = true
    return this.context.generation.mode.tick(site)
  }

  /** A place to let others run, where the program does. */
  pause(node: Node): string {
    const code = this.context.generation.mode.pause(() => this.site(node))
    this.#usesBudget ||= code !== ''
    return code
  }

  /** Leaves the template that was entered. */
  leaveTemplate(): string {
    this.#usesBudget = true
    return 'budget.depth--;'
  }

  /** Where the value of a pipeline comes from; undefined in a program that is not traced. */
  originOf(pipe: PipeNode, scope: Scope): Origin | undefined {
    return this.context.generation.traced ? originOf(pipe, scope) : undefined
  }
}
