import { at } from '../../../util/at.js'
import type { CommandNode, PipeNode } from '../../ast.js'
import { isTruthFunction } from '../../builtins.js'
import type { Rules } from '../../program.js'
import type { Origin } from '../../run/origin.js'
import type { Frame } from '../frame.js'
import type { Scope } from '../scope.js'
import { emitCommand } from './command.js'
import { certain, type Emitter, type Expression, passedOn } from './expression.js'
import { lastOfPipe } from './places.js'

/** A pipeline: each command gets the value of the one before; the last value is declared, assigned or passed on. */
export function emitPipe(emitter: Emitter, pipe: PipeNode, scope: Scope, guarded: boolean): Expression {
  const value = commands(emitter, pipe, scope, guarded)
  if (pipe.declarations.length === 0) return value
  return certain(`(${assignments(emitter.frame, pipe, passedOn(value), scope)})`)
}

/** True if the value of a pipeline is part of the render's data. */
export function isDataPipe({ commands: [command, ...others] }: PipeNode, scope: Scope): boolean {
  if (command === undefined || others.length > 0 || command.operands.length !== 1) return false
  const [operand] = command.operands
  if (operand.kind === 'dot' || operand.kind === 'field') return scope.dot.fromData
  return operand.kind === 'variable' && scope.find(operand.name)?.fromData === true
}

function commands(emitter: Emitter, pipe: PipeNode, scope: Scope, guarded: boolean): Expression {
  const { rules } = emitter.frame.context.generation.program
  let final: Expression | null = null
  for (let index = 0; index < pipe.commands.length; index++) {
    const command = at(pipe.commands, index)
    const next = pipe.commands[index + 1]
    const isGuarded = next === undefined ? guarded : takesTruth(rules, next)
    final = emitCommand(emitter, { command, pipe, index, scope, guarded: isGuarded, final })
  }
  return final ?? certain('undefined')
}

function takesTruth(rules: Rules, { operands: [first] }: CommandNode): boolean {
  return first.kind === 'identifier' && isTruthFunction(rules, first.name)
}

function assignments(frame: Frame, pipe: PipeNode, value: string, scope: Scope): string {
  const write = pipe.isAssign ? assign : declare
  return pipe.declarations.reduce((code, { name }) => write(frame, name, code, pipe, scope), value)
}

function declare(frame: Frame, name: string, value: string, pipe: PipeNode, scope: Scope): string {
  const { assigned, rangeAssigned } = frame.context
  const local = frame.newLocal('variable')
  const container = rangeAssigned.has(name) ? frame.newLocal('container') : ''
  const fromData = !assigned.has(name) && isDataPipe(pipe, scope)
  scope.declare({ name, local, container, fromData, origin: originFor(frame, name, pipe, scope) })
  return container === '' ? `${local}=${value}` : `(${container}=undefined,${local}=${value})`
}

function assign(frame: Frame, name: string, value: string, pipe: PipeNode, scope: Scope): string {
  const variable = scope.find(name)
  if (variable === undefined) {
    return `(${value},${frame.failure(lastOfPipe(pipe), `undefined variable: ${name}`)})`
  }
  const { local, container, origin } = variable
  const assigned = frame.originOf(pipe, scope)
  if (origin?.kind === 'assigned' && assigned !== undefined) origin.of.push(assigned)
  return container === '' ? `${local}=${value}` : `(${local}=${value},${container}=undefined,${local})`
}

/** Where a declared variable's value comes from, in a program that is traced. */
function originFor(frame: Frame, name: string, pipe: PipeNode, scope: Scope): Origin | undefined {
  const origin = frame.originOf(pipe, scope)
  if (origin === undefined || !frame.context.assigned.has(name)) return origin
  return { kind: 'assigned', of: [origin] }
}
