import type { ListItem, PipeNode, Program, RangeNode, TemplateNode, TextNode } from '../ast.js'
import { LOOP_ELEMENT } from '../handlebars/rules.js'
import type { CallOrigins, TracedPlace } from '../run/trace.js'
import type { Constants } from './constants.js'
import { type Origin, originOf } from './origin.js'
import type { Scope } from './scope.js'

/** What the statements of one template are traced with. */
export interface TracingContext {
  readonly program: Program
  readonly template: string
  readonly constants: Constants
}

/** The code that tells the run's trace where its output comes from; only in programs that are traced. */
export class Tracing {
  readonly #context: TracingContext

  constructor(context: TracingContext) {
    this.#context = context
  }

  text(node: TextNode): string {
    const { constants } = this.#context
    return `o+=${constants.addText([node.text])};r.trace.text(${this.#place(node, null)},${constants.add(node.text.length)});`
  }

  /** Prints `x`, the value of the pipeline. */
  print(node: ListItem, pipe: PipeNode, scope: Scope): string {
    const place = this.#place(node, originOf(pipe, scope))
    return `o=r.trace.print(r,o,x,${place},W);if(r.large!==null)o=await r.trace.printLarge(r,o,${place});`
  }

  /** At the start of a round: which one it is. */
  round(loop: RangeNode, index: string, cursor: string): string {
    const key = `${cursor}===null||${cursor}.keys===null?${index}:${cursor}.keys[${index}]`
    return `r.trace.round(${this.#context.constants.add(loop)},${key});`
  }

  endOfLoop(loop: RangeNode): string {
    return `r.trace.endOfLoop(${this.#context.constants.add(loop)});`
  }

  /** What stands before and after the call of a template. */
  call({ pipe }: TemplateNode, scope: Scope): readonly [before: string, after: string] {
    const origins: CallOrigins = {
      dot: pipe === null ? null : originOf(pipe, scope),
      element: scope.find(LOOP_ELEMENT)?.origin ?? null,
    }
    return [`r.trace.enter(${this.#context.constants.add(origins)});`, 'r.trace.leave();']
  }

  #place(node: ListItem, origin: Origin | null): string {
    const { program, template, constants } = this.#context
    const place: TracedPlace = { site: { program, template, node }, origin }
    return constants.add(place)
  }
}

/** Notes for a variable of a loop that it holds an element, or its key. */
export function noteOrigin(name: string, isKey: boolean, element: Origin, scope: Scope): void {
  const variable = scope.find(name)
  const origin = isKey && element.kind === 'round' ? element.of : element
  if (variable?.origin?.kind === 'assigned') variable.origin.of.push(origin)
  else if (variable !== undefined) scope.refine({ ...variable, origin })
}
