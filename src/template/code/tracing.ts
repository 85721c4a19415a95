import type { CommandNode, ListItem, Operand, PipeNode, RangeNode, TemplateNode, TextNode } from '../ast.js'
import { LOOP_ELEMENT } from '../loop-element.js'
import type { Origin } from '../run/origin.js'
import type { CallOrigins, TracedPlace } from '../run/trace.js'
import type { CodeContext } from './context.js'
import type { Scope } from './scope.js'

const IN_THE_TEXT: Origin = { kind: 'any', of: [] }
/** Functions whose result is one of their arguments. */
const CHOICES: ReadonlySet<string> = new Set(['and', 'or'])

/** Where the value of a pipeline comes from. */
export function originOf({ commands }: PipeNode, scope: Scope): Origin {
  let piped: readonly Origin[] = []
  for (const command of commands) piped = [originOfCommand(command, piped, scope)]
  return piped[0] ?? IN_THE_TEXT
}

function originOfCommand({ operands }: CommandNode, piped: readonly Origin[], scope: Scope): Origin {
  const [first, ...rest] = operands
  if (first === undefined) return IN_THE_TEXT
  const given = [...rest.map((operand) => originOfOperand(operand, scope)), ...piped]
  if (first.kind === 'identifier') return calledWith(first.name, given)
  const value = originOfOperand(first, scope)
  return given.length === 0 ? value : calledWith(methodOf(first), [value, ...given])
}

function calledWith(name: string, of: readonly Origin[]): Origin {
  return CHOICES.has(name) ? { kind: 'any', of } : { kind: 'call', name, of }
}

function methodOf(operand: Operand): string {
  return 'path' in operand ? (operand.path.at(-1) ?? '') : ''
}

function originOfOperand(operand: Operand, scope: Scope): Origin {
  switch (operand.kind) {
    case 'dot':
      return scope.dot.origin ?? IN_THE_TEXT
    case 'field':
      return fieldOf(scope.dot.origin, operand.path)
    case 'variable':
      return fieldOf(scope.find(operand.name)?.origin, operand.path)
    case 'chain':
      return fieldOf(originOfOperand(operand.operand, scope), operand.path)
    case 'pipe':
      return originOf(operand, scope)
    case 'identifier':
      return calledWith(operand.name, [])
    default:
      return IN_THE_TEXT
  }
}

function fieldOf(of: Origin = IN_THE_TEXT, path: readonly string[]): Origin {
  return path.length === 0 ? of : { kind: 'field', of, path }
}

/** The code that reports the sources of output to the run's trace; only in programs that are traced. */
export class Tracing {
  readonly #context: CodeContext

  constructor(context: CodeContext) {
    this.#context = context
  }

  text(node: TextNode): string {
    const { constants } = this.#context
    return `${constants.addText([node.text]).add}run.trace.text(${this.#place(node, null)},${constants.add(node.text.length)});`
  }

  /** Prints `value`, the value of the pipeline. */
  print(node: ListItem, pipe: PipeNode, scope: Scope): string {
    const place = this.#place(node, originOf(pipe, scope))
    const print = this.#context.constants.use('print')
    return `out=run.trace.print(run,out,value,${place},${print});if(run.output.large!==null)out=yield*run.trace.printLarge(run,out,${place});`
  }

  /** At the start of a round: which one it is. */
  round(loop: RangeNode, key: string): string {
    return `run.trace.round(${this.#context.constants.add(loop)},${key});`
  }

  endOfLoop(loop: RangeNode): string {
    return `run.trace.endOfLoop(${this.#context.constants.add(loop)});`
  }

  /** The call of a template, with the code before and after it. */
  call({ pipe }: TemplateNode, scope: Scope, call: string): string {
    const origins: CallOrigins = {
      dot: pipe === null ? null : originOf(pipe, scope),
      element: scope.find(LOOP_ELEMENT)?.origin ?? null,
    }
    return `run.trace.enter(${this.#context.constants.add(origins)});${call}run.trace.leave();`
  }

  #place(node: ListItem, origin: Origin | null): string {
    const { generation, template, constants } = this.#context
    const place: TracedPlace = { site: { program: generation.program, template, node }, origin }
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
