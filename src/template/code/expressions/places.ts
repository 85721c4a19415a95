import { at } from '../../../util/at.js'
import type { CommandNode, Node, Operand, PipeNode } from '../../ast.js'

/** A place that depends on the run: the argument of `and` or `or` at which it stopped. */
export const DYNAMIC = 'dynamic'

/** The node that was visited last, if the text determines it. */
export type Visited = Node | typeof DYNAMIC

/**
 * The node Go visited last when it has evaluated an operand as an argument; later complaints about the value are
 * reported there.
 */
export function lastVisited(operand: Operand): Visited {
  switch (operand.kind) {
    case 'pipe':
      return lastOfPipe(operand)
    case 'chain':
      return lastVisited(operand.operand)
    default:
      return operand
  }
}

/** The node that is visited last in a whole pipeline. */
export function lastOfPipe(pipe: PipeNode): Visited {
  const command = pipe.commands.at(-1)
  return command === undefined ? pipe : lastOfCommand(command, pipe, pipe.commands.length - 1)
}

/** The node visited last before the command at an index of a pipeline. */
export function lastBefore(pipe: PipeNode, index: number): Visited {
  const previous = pipe.commands[index - 1]
  return previous === undefined ? pipe : lastOfCommand(previous, pipe, index - 1)
}

function lastOfCommand({ operands }: CommandNode, pipe: PipeNode, index: number): Visited {
  const [first] = operands
  if (first.kind === 'pipe') return first.commands.length === 0 ? lastBefore(pipe, index) : lastOfPipe(first)
  if (first.kind === 'chain') return lastVisited(first)
  if (first.kind !== 'identifier' || operands.length === 1) return first
  if ((first.name === 'and' || first.name === 'or') && operands.length > 2) return DYNAMIC
  return lastVisited(at(operands, -1))
}
