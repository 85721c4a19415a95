import type { CommandNode, Operand, PipeNode } from '../../ast.js'
import type { Origin } from '../../run/origin.js'
import type { Scope } from '../scope.js'

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
