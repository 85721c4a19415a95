import type { Operand, PipeNode } from '../../ast.js'
import { LOOP_ELEMENT } from '../../loop-element.js'
import { idealValue } from '../../run/parameters.js'
import type { Frame } from '../frame.js'
import type { Scope } from '../scope.js'
import { emitCall } from './call.js'
import { type CallExpression, certain, type Emitter, type Expression } from './expression.js'
import { emitChain, emitField } from './field.js'
import { emitPipe } from './pipe.js'

type OperandOf<Kind extends Operand['kind']> = Extract<Operand, { readonly kind: Kind }>

/** Turns the pipelines of one function into JavaScript expressions: for each kind of node there is one emitter. */
export class Expressions implements Emitter {
  readonly frame: Frame

  constructor(frame: Frame) {
    this.frame = frame
  }

  pipe(pipe: PipeNode, scope: Scope, guarded: boolean): string {
    const { code, nullable } = this.rawPipe(pipe, scope, guarded)
    return nullable ? `(${code}??undefined)` : code
  }

  rawPipe(pipe: PipeNode, scope: Scope, guarded: boolean): Expression {
    return emitPipe(this, pipe, scope, guarded)
  }

  call(call: CallExpression): Expression {
    return emitCall(this, call)
  }

  operand(operand: Operand, scope: Scope, guarded: boolean): Expression {
    switch (operand.kind) {
      case 'dot':
        return { code: scope.dot.local, nullable: scope.dot.container !== '' }
      case 'nil':
        return certain('undefined')
      case 'bool':
      case 'number':
      case 'string':
        return this.#constant(operand)
      case 'field':
        return emitField(this.frame, scope.dot, operand, guarded)
      case 'variable':
        return this.#variable(operand, scope, guarded)
      case 'pipe':
        return certain(this.pipe(operand, scope, guarded))
      case 'identifier':
        return this.call({ name: operand, command: operand, operands: [], scope, final: null })
      case 'chain':
        return emitChain(this, operand, scope, guarded)
    }
  }

  #constant(operand: OperandOf<'bool' | 'number' | 'string'>): Expression {
    const { frame } = this
    if (operand.kind === 'number' && operand.ideal === null) {
      return certain(frame.failure(operand, `${operand.text} overflows int`))
    }
    return certain(frame.context.constants.add(idealValue(operand, frame.siteOf(operand))))
  }

  #variable(node: OperandOf<'variable'>, scope: Scope, guarded: boolean): Expression {
    const variable = scope.find(node.name)
    if (variable === undefined) return certain(this.frame.failure(node, `undefined variable: ${node.name}`))
    const isRead = node.path.length > 0 || node.name === LOOP_ELEMENT
    if (isRead) return emitField(this.frame, variable, node, guarded)
    return { code: variable.local, nullable: variable.container !== '' }
  }
}
