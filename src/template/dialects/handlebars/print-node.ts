import type { Node, PipeNode } from '../../ast.js'
import { LOOP_ELEMENT } from '../../loop-element.js'

/** A node as the author wrote it, for messages. */
export function printHandlebarsNode(node: Node): string {
  switch (node.kind) {
    case 'field':
      return node.path.join('.')
    case 'variable':
      return (node.name === LOOP_ELEMENT ? ['item', ...node.path] : node.path).join('.')
    case 'if':
      return `#if ${printOperand(node.pipe)}`
    case 'range':
      return `#each ${printOperand(node.pipe)}`
    case 'template':
      return node.name
    case 'action':
      return printOperand(node.pipe)
    case 'pipe':
      return printOperand(node)
    case 'text':
      return node.text
    default:
      return 'template'
  }
}

function printOperand(pipe: PipeNode): string {
  const operand = pipe.commands[0]?.operands[0]
  return operand === undefined ? '' : printHandlebarsNode(operand)
}
