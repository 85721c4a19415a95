import type { CommandNode, Node, Operand, PipeNode } from '../ast.js'

/** A place that depends on the run: the argument of `and` or `or` at which it stopped. */
export const DYNAMIC = 'dynamic'

/**
 * The node Go visited last when it has evaluated an operand as an argument; later complaints about the value are
 * reported there.
 */
export function lastVisited(operand: Operand): Node | typeof DYNAMIC {
  switch (operand.kind) {
    case 'pipe':
      return lastOfPipe(operand)
    case 'chain':
      return lastVisited(operand.operand)
    default:
      return operand
  }
}

/** The same for a whole pipeline. */
export function lastOfPipe(pipe: PipeNode): Node | typeof DYNAMIC {
  const command = pipe.commands.at(-1)
  return command === undefined ? pipe : lastOfCommand(command, pipe, pipe.commands.length - 1)
}

/** The node visited last before the command at an index of a pipeline. */
export function lastBefore(pipe: PipeNode, index: number): Node | typeof DYNAMIC {
  const previous = pipe.commands[index - 1]
  return previous === undefined ? pipe : lastOfCommand(previous, pipe, index - 1)
}

function lastOfCommand(command: CommandNode, pipe: PipeNode, index: number): Node | typeof DYNAMIC {
  const [first, ...rest] = command.operands as [Operand, ...Operand[]]
  if (first.kind === 'pipe') return first.commands.length === 0 ? lastBefore(pipe, index) : lastOfPipe(first)
  if (first.kind === 'chain') return lastVisited(first)
  if (first.kind !== 'identifier' || rest.length === 0) return first
  if ((first.name === 'and' || first.name === 'or') && rest.length > 1) return DYNAMIC
  return lastVisited(rest.at(-1) as Operand)
}
