import type { ChainNode, CommandNode, ListNode, Node, NumberNode, Operand, PipeNode } from '../../ast.js'
import { quote } from '../../format/quote.js'
import type { Program } from '../../program.js'

/** A node printed back as Go does; messages show it as their context. */
export function printNode(node: Node): string {
  switch (node.kind) {
    case 'list':
      return node.nodes.map(printNode).join('')
    case 'text':
      return node.text
    case 'action':
      return `{{${printPipe(node.pipe)}}}`
    case 'if':
    case 'range':
    case 'with':
      return `{{${node.kind} ${printPipe(node.pipe)}}}${printNode(node.list)}${printElse(node.elseList)}{{end}}`
    case 'template':
      return `{{template ${quote(node.name)}${node.pipe === null ? '' : ` ${printPipe(node.pipe)}`}}}`
    case 'break':
    case 'continue':
      return `{{${node.kind}}}`
    case 'pipe':
      return printPipe(node)
    case 'command':
      return printCommand(node)
    default:
      return printOperand(node)
  }
}

/** A program printed back: its main template; definitions are templates of their own, as in Go. */
export function printProgram(program: Program): string {
  return printNode(program.root)
}

function printElse(list: ListNode | null): string {
  return list === null ? '' : `{{else}}${printNode(list)}`
}

function printPipe(pipe: PipeNode): string {
  const commands = pipe.commands.map(printCommand).join(' | ')
  if (pipe.declarations.length === 0) return commands
  const names = pipe.declarations.map((variable) => variable.name).join(', ')
  return `${names} ${pipe.isAssign ? '=' : ':='} ${commands}`
}

function printCommand(command: CommandNode): string {
  return command.operands.map(printTerm).join(' ')
}

function printTerm(operand: Operand): string {
  return operand.kind === 'pipe' ? `(${printPipe(operand)})` : printOperand(operand)
}

function printOperand(operand: Operand): string {
  switch (operand.kind) {
    case 'dot':
      return '.'
    case 'nil':
      return 'nil'
    case 'bool':
      return String(operand.value)
    case 'number':
      return (operand satisfies NumberNode).text
    case 'string':
      return operand.quoted
    case 'field':
      return printPath(operand.path)
    case 'variable':
      return operand.name + printPath(operand.path)
    case 'identifier':
      return operand.name
    case 'chain':
      return printChain(operand)
    case 'pipe':
      return printPipe(operand)
  }
}

function printChain(chain: ChainNode): string {
  return printTerm(chain.operand) + printPath(chain.path)
}

function printPath(path: readonly string[]): string {
  return path.map((name) => `.${name}`).join('')
}
