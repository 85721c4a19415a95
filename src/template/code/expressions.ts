import type { FunctionLookup } from '../api.js'
import type {
  ChainNode,
  CommandNode,
  FieldNode,
  IdentifierNode,
  Node,
  Operand,
  PipeNode,
  VariableNode,
} from '../ast.js'
import {
  BUILTIN_PARAMETERS,
  builtinCost,
  builtinFunction,
  COMPARISONS,
  isTruthFunction,
} from '../builtins.js'
import { isAscii } from '../format/byte-string.js'
import { type CompiledFormat, compileFormat } from '../format/sprintf.js'
import { LOOP_ELEMENT } from '../loop-element.js'
import { printNode } from '../printer.js'
import type { Program } from '../program.js'
import type { BuiltinSite } from '../run/builtin-site.js'
import { type CallSite, constantMessage, countMessage, idealValue } from '../run/call.js'
import type { HelperName } from '../run/operations.js'
import type { Origin } from '../run/origin.js'
import type { FieldSite, Site } from '../site.js'
import type { Constants } from './constants.js'
import { callOf, formatOf, operatorOf, printFormatOf } from './helper-names.js'
import { propertyKey } from './keys.js'
import { originOf } from './origin-of.js'
import { DYNAMIC, lastBefore, lastOfPipe, lastVisited } from './places.js'
import type { Scope, Variable } from './scope.js'

/** Longer paths are read step by step: the JavaScript engine nests one level for each part. */
const MAX_INLINE_PATH = 100

/** What all expressions of one template share. */
export interface ExpressionContext {
  readonly program: Program
  readonly template: string
  readonly constants: Constants
  readonly functions: FunctionLookup
  /** Absolute paths of fields where analysis knows them. */
  readonly paths: ReadonlyMap<Node, readonly string[]>
  readonly asynchronous: boolean
  /** Whatever is printed is told of with its origin; such a program is asynchronous. */
  readonly traced: boolean
  /** Set for a large template, whose parts are functions of their own: their locals are entries of one list. */
  readonly shared: SharedLocals | null
  /** Variables that are assigned somewhere after their declaration. */
  readonly assigned: ReadonlySet<string>
  /** How many more formats may remember the ints they printed. */
  readonly remembering: { left: number }
  /** Variables that some range assigns, whose container is known only at run time. */
  readonly rangeAssigned: ReadonlySet<string>
}

/** The number of locals that the parts of a large template share. */
export interface SharedLocals {
  count: number
}

/** A literal format has helpers of its own for few arguments. */
function areFew(values: readonly unknown[]): boolean {
  return values.length >= 1 && values.length <= 3
}

/** Whether `null`, Go's nil in an interface, can be the value of an expression. */
interface Expression {
  readonly code: string
  readonly nullable: boolean
}

/** A printf as a call that adds to the output. */
interface PrintedFormat {
  readonly code: string
  readonly tail: string
}

/** Turns pipelines into JavaScript expressions; locals are named by counters, everything else by index. */
export class Expressions {
  readonly #context: ExpressionContext
  /** Scratch locals in use, by depth. */
  #scratch = 0
  #maxScratch = 0
  #locals = 0

  constructor(context: ExpressionContext) {
    this.#context = context
  }

  /** The locals the template's function must declare. */
  declarations(): string {
    const names = ['value', 'receiver']
    for (let i = 0; i < this.#maxScratch; i++) names.push(`temporary${i}`)
    for (let i = 0; i < this.#locals; i++) names.push(`local${i}`)
    return `let due="",${names.join(',')};`
  }

  newLocal(): string {
    const { shared } = this.#context
    return shared === null ? `local${this.#locals++}` : `locals[${shared.count++}]`
  }

  /** The constant that stands for a node as a place. */
  site(node: Node): string {
    return this.#context.constants.add(this.#siteOf(node), 'site')
  }

  /** The same for the node visited last by a pipeline; `null` where that depends on the run. */
  lastSite(pipe: PipeNode): string {
    const node = lastOfPipe(pipe)
    return node === DYNAMIC ? this.#context.constants.add(null) : this.site(node)
  }

  /** The truth of a value held in a local that may be assigned. */
  truth(local: string): string {
    const settle = this.#context.asynchronous
      ? `(${local} instanceof ${this.#use('Pending')}&&(${local}=await run.need(${local})),`
      : '('
    return `${settle}${local}===true||${local}!==false&&${this.#use('isTrue')}(${local}))`
  }

  /** The value of a pipeline as Go passes it on: nil is no value. */
  pipe(pipe: PipeNode, scope: Scope, guarded: boolean): string {
    const { code, nullable } = this.rawPipe(pipe, scope, guarded)
    return nullable ? `(${code}??undefined)` : code
  }

  /** The value of a pipeline for a use in which nil and no value are the same. */
  rawPipe(pipe: PipeNode, scope: Scope, guarded: boolean): Expression {
    const value = this.#commands(pipe, scope, guarded)
    if (pipe.declarations.length === 0) return value
    const plain = value.nullable ? `${value.code}??undefined` : value.code
    return { code: `(${this.#assignments(pipe, plain, scope)})`, nullable: false }
  }

  #assignments(pipe: PipeNode, value: string, scope: Scope): string {
    let code = value
    for (const { name } of pipe.declarations) {
      code = pipe.isAssign ? this.#assign(name, code, pipe, scope) : this.#declare(name, code, pipe, scope)
    }
    return code
  }

  #declare(name: string, value: string, pipe: PipeNode, scope: Scope): string {
    const local = this.newLocal()
    const container = this.#context.rangeAssigned.has(name) ? this.newLocal() : ''
    const fromData = !this.#context.assigned.has(name) && isDataPipe(pipe, scope)
    scope.declare({ name, local, container, fromData, origin: this.#originFor(name, pipe, scope) })
    return container === '' ? `${local}=${value}` : `(${container}=undefined,${local}=${value})`
  }

  #assign(name: string, value: string, pipe: PipeNode, scope: Scope): string {
    const variable = scope.find(name)
    if (variable === undefined) return `(${value},${this.#undefinedVariable(name, pipe)})`
    const { local, container, origin } = variable
    if (origin?.kind === 'assigned') origin.of.push(originOf(pipe, scope))
    return container === '' ? `${local}=${value}` : `(${local}=${value},${container}=undefined,${local})`
  }

  /** Where a declared variable's value comes from, in a program that is traced. */
  #originFor(name: string, pipe: PipeNode, scope: Scope): Origin | undefined {
    if (!this.#context.traced) return undefined
    const origin = originOf(pipe, scope)
    return this.#context.assigned.has(name) ? { kind: 'assigned', of: [origin] } : origin
  }

  #undefinedVariable(name: string, pipe: PipeNode): string {
    return this.failure(lastOfPipe(pipe), `undefined variable: ${name}`)
  }

  #commands(pipe: PipeNode, scope: Scope, guarded: boolean): Expression {
    let final: Expression | null = null
    for (let i = 0; i < pipe.commands.length; i++) {
      const command = pipe.commands[i] as CommandNode
      const next = pipe.commands[i + 1]
      const isGuarded: boolean = next === undefined ? guarded : takesTruth(next)
      final = this.#command(command, pipe, i, scope, isGuarded, final)
    }
    return final ?? { code: 'undefined', nullable: false }
  }

  #command(
    command: CommandNode,
    pipe: PipeNode,
    index: number,
    scope: Scope,
    guarded: boolean,
    final: Expression | null,
  ): Expression {
    const first = command.operands[0] as Operand
    const hasArguments = command.operands.length > 1 || final !== null
    switch (first.kind) {
      case 'identifier':
        return this.#call(first, command, command.operands.slice(1), scope, final)
      case 'field':
      case 'chain':
        return hasArguments
          ? this.#method(first, command, scope, final)
          : this.#operand(first, scope, guarded)
      case 'variable':
        if (!hasArguments) return this.#operand(first, scope, guarded)
        if (first.path.length > 0) return this.#method(first, command, scope, final)
        return this.#after(final, this.#argumentOfVariable(first, scope))
    }
    if (hasArguments) {
      const at = first.kind === 'pipe' ? lastBefore(pipe, index) : first
      return this.#after(final, this.#notAFunction(first, at))
    }
    if (first.kind === 'nil') return this.#failed(first, 'nil is not a command')
    return this.#operand(first, scope, guarded)
  }

  #argumentOfVariable(variable: VariableNode, scope: Scope): string {
    if (scope.find(variable.name) !== undefined) return this.#notAFunction(variable, variable)
    return this.failure(variable, `undefined variable: ${variable.name}`)
  }

  #notAFunction(first: Operand, at: Node | typeof DYNAMIC): string {
    return this.failure(at, `can't give argument to non-function ${printOperand(first)}`)
  }

  #after(final: Expression | null, code: string): Expression {
    return { code: final === null ? code : `(${final.code},${code})`, nullable: false }
  }

  #failed(node: Node | typeof DYNAMIC, message: string): Expression {
    return { code: this.failure(node, message), nullable: false }
  }

  /** An expression that throws. */
  failure(node: Node | typeof DYNAMIC, message: string): string {
    const { constants } = this.#context
    const site = node === DYNAMIC ? 'run.at' : this.site(node)
    return `${this.#use('fail')}(${site},${constants.add(message)})`
  }

  #operand(operand: Operand, scope: Scope, guarded: boolean): Expression {
    switch (operand.kind) {
      case 'dot':
        return { code: scope.dot.local, nullable: scope.dot.container !== '' }
      case 'nil':
        return { code: 'undefined', nullable: false }
      case 'bool':
      case 'number':
      case 'string':
        return this.#constant(operand)
      case 'field':
        return this.#field(scope.dot, operand, operand.path, guarded)
      case 'variable':
        return this.#variable(operand, scope, guarded)
      case 'pipe':
        return { code: this.pipe(operand, scope, guarded), nullable: false }
      case 'identifier':
        return this.#call(operand, operand, [], scope, null)
      case 'chain':
        return this.#chain(operand, scope, guarded)
    }
  }

  #constant(operand: Operand): Expression {
    if (operand.kind === 'number' && operand.ideal === null) {
      return this.#failed(operand, `${operand.text} overflows int`)
    }
    const value = idealValue(operand, this.#siteOf(operand))
    return { code: this.#context.constants.add(value), nullable: false }
  }

  #variable(node: VariableNode, scope: Scope, guarded: boolean): Expression {
    const variable = scope.find(node.name)
    if (variable === undefined) return this.#failed(node, `undefined variable: ${node.name}`)
    if (node.path.length > 0 || node.name === LOOP_ELEMENT) {
      return this.#field(variable, node, node.path, guarded)
    }
    return { code: variable.local, nullable: variable.container !== '' }
  }

  #field(
    from: Variable,
    node: FieldNode | VariableNode,
    path: readonly string[],
    guarded: boolean,
  ): Expression {
    const read = this.#keys(from.local, path, from.fromData)
    const container = from.container === '' ? '' : `,${from.container}`
    const site = this.#fieldSite(node, node, path, guarded)
    return {
      code: `((value=${read})!==undefined?value:run.field(${site},${from.local}${container}))`,
      nullable: true,
    }
  }

  #chain(node: ChainNode, scope: Scope, guarded: boolean): Expression {
    const receiver = this.#operand(node.operand, scope, guarded)
    const container = this.#isInterface(node.operand) ? ',null' : ''
    const site = this.#fieldSite(node, lastVisited(node.operand), node.path, guarded)
    const read = this.#keys('receiver', node.path, false)
    return {
      code: `(receiver=${receiver.code},(value=${read})!==undefined?value:run.field(${site},receiver${container}))`,
      nullable: true,
    }
  }

  /** Whether an operand keeps its value inside an interface: the result of a function that declares no type. */
  #isInterface(operand: Operand): boolean {
    if (operand.kind !== 'identifier' || BUILTIN_PARAMETERS.has(operand.name)) return false
    const target = this.#context.functions.get(operand.name)
    return typeof target !== 'object' || (target.returns ?? 'any') === 'any'
  }

  #keys(local: string, path: readonly string[], fromData: boolean): string {
    if (path.length > MAX_INLINE_PATH) return 'undefined'
    const { constants } = this.#context
    return local + path.map((name) => `?.[${constants.add(propertyKey(name, fromData), 'name')}]`).join('')
  }

  #fieldSite(node: Node, at: Node | typeof DYNAMIC, path: readonly string[], guarded: boolean): string {
    const site: FieldSite = {
      at: at === DYNAMIC ? null : this.#siteOf(at),
      path,
      fullPath: this.#context.paths.get(node) ?? writtenPath(node, path),
      guarded,
    }
    return this.#context.constants.add(site, 'fieldSite')
  }

  /** A field with arguments: a method, or Go's complaint that it is none. */
  #method(
    node: FieldNode | VariableNode | ChainNode,
    command: CommandNode,
    scope: Scope,
    final: Expression | null,
  ): Expression {
    const place = node.kind === 'chain' ? lastVisited(node.operand) : node
    const operands = command.operands.slice(1)
    const name = node.path.at(-1) as string
    const at = place === DYNAMIC ? this.#siteOf(node) : this.#siteOf(place)
    const call = this.#callSite(name, at, at, operands, final !== null, node)
    return this.#withFinal(final, (finalLocal) => {
      const [bound, receiver] = [this.#take(), this.#take()]
      const { code, container } = this.#receiver(node, scope)
      const site = this.#fieldSite(node, place, node.path, false)
      const values = this.#arguments(operands, bound, scope, finalLocal, false)
      this.#release(2)
      const settle = this.#context.asynchronous
        ? `,${receiver} instanceof ${this.#use('Pending')}&&(${receiver}=await run.need(${receiver}))`
        : ''
      const find = `${receiver}=${code}${settle},${bound}=run.method(${site},${call},${receiver},${container})`
      return {
        code: `((${find})===undefined?undefined:run.invoke(${bound},[${values}]))`,
        nullable: true,
      }
    })
  }

  #receiver(
    node: FieldNode | VariableNode | ChainNode,
    scope: Scope,
  ): { readonly code: string; readonly container: string } {
    if (node.kind === 'chain') {
      return { code: this.#operand(node.operand, scope, false).code, container: 'undefined' }
    }
    const from = node.kind === 'field' ? scope.dot : scope.find(node.name)
    if (from === undefined)
      return {
        code: this.failure(node, `undefined variable: ${node.kind === 'variable' ? node.name : ''}`),
        container: 'undefined',
      }
    return { code: from.local, container: from.container === '' ? 'undefined' : from.container }
  }

  #call(
    name: IdentifierNode,
    command: CommandNode | IdentifierNode,
    operands: readonly Operand[],
    scope: Scope,
    final: Expression | null,
  ): Expression {
    const parameters = BUILTIN_PARAMETERS.get(name.name)
    if (parameters === undefined) return this.#functionCall(name, command, operands, scope, final)
    const { types, variadic } = parameters
    const wrong = countMessage(name.name, types.length, variadic, operands.length, final !== null)
    if (wrong !== '') return this.#after(final, this.failure(name, wrong))
    if (name.name === 'and' || name.name === 'or') {
      return this.#logic(name.name, operands, scope, final)
    }
    return this.#withFinal(final, (local) => this.#builtin(name, command, operands, scope, local))
  }

  /** Evaluates a piped value first, as Go does, then what needs it. */
  #withFinal(final: Expression | null, use: (local: string | null) => Expression): Expression {
    if (final === null) return use(null)
    const local = this.#take()
    const { code, nullable } = use(local)
    this.#release(1)
    const value = final.nullable ? `${final.code}??undefined` : final.code
    return { code: `(${local}=${value},${code})`, nullable }
  }

  /** `and` and `or`: the first argument that decides, else the last. */
  #logic(
    name: 'and' | 'or',
    operands: readonly Operand[],
    scope: Scope,
    final: Expression | null,
  ): Expression {
    return this.#withFinal(final, (finalLocal) => {
      const local = this.#take()
      const values = operands.map((operand) => this.#logicOperand(operand, local, scope))
      if (finalLocal !== null) values.push(finalLocal)
      this.#release(1)
      let code = values.pop() as string
      for (const value of values.reverse()) {
        const decided = name === 'and' ? `!${this.truth(local)}` : this.truth(local)
        code = `(${value},${decided}?${local}:${code})`
      }
      return { code, nullable: true }
    })
  }

  #logicOperand(operand: Operand, local: string, scope: Scope): string {
    const at = lastVisited(operand)
    const visit = at === DYNAMIC ? '' : `,run.at=${this.site(at)}`
    return `(${local}=${this.#operand(operand, scope, true).code}${visit},${local})`
  }

  #builtin(
    name: IdentifierNode,
    command: CommandNode | IdentifierNode,
    operands: readonly Operand[],
    scope: Scope,
    final: string | null,
  ): Expression {
    if (name.name === 'printf') return this.#printf(name, command, operands, scope, final)
    const { constants } = this.#context
    const text = final === null ? textOf(operands[1]) : null
    if (text !== null && operands.length === 2 && (name.name === 'eq' || name.name === 'ne')) {
      return this.#compareText(name, command, operands, text, scope)
    }
    const guarded = name.name === 'not'
    const values = operands.map((operand, i) => this.#builtinArgument(name, operand, i, scope, guarded))
    if (final !== null) values.push(lastType(name.name) === 'any' ? `${final}??null` : final)
    const comparison = COMPARISONS.has(name.name) && values.length === 2
    const site: BuiltinSite = this.#builtinSite(name, command, operands)
    const helper = this.#use(comparison || guarded ? operatorOf(name.name) : callOf(values.length))
    const list = values.length < 3 || comparison ? values.join(',') : `[${values.join(',')}]`
    const nullable = name.name === 'index' || name.name === 'call'
    return { code: `${helper}(run,${constants.add(site, 'builtinSite')},${list || 'undefined'})`, nullable }
  }

  /** A comparison with a constant text, which may be equal to a different one only if it is not ASCII. */
  #compareText(
    name: IdentifierNode,
    command: CommandNode | IdentifierNode,
    operands: readonly Operand[],
    text: string,
    scope: Scope,
  ): Expression {
    const { constants } = this.#context
    const { code } = this.#operand(operands[0] as Operand, scope, false)
    const site = constants.add(this.#builtinSite(name, command, operands), 'builtinSite')
    const [constant, hasOthers] = [constants.add(text), constants.add(!isAscii(text))]
    const isEqual = `value===${constant}||${hasOthers}&&${this.#use('isEqualText')}(value,${constant})`
    const [start, end] = name.name === 'eq' ? ['', ''] : ['!(', ')']
    return {
      code: `(typeof(value=${code})==="string"?${start}${isEqual}${end}:${this.#use(operatorOf(name.name))}(run,${site},value,${constant}))`,
      nullable: false,
    }
  }

  #builtinArgument(
    name: IdentifierNode,
    operand: Operand,
    index: number,
    scope: Scope,
    guarded: boolean,
  ): string {
    const { types } = BUILTIN_PARAMETERS.get(name.name) as { readonly types: readonly string[] }
    const type = types[Math.min(index, types.length - 1)]
    const { code, nullable } = this.#operand(operand, scope, guarded)
    if (type === 'any') return `${code}??null`
    if (name.name !== 'slice' || index === 0 || !nullable) return code
    return this.#sliceIndex(operand, code, scope)
  }

  /** An index of `slice` that Go finds inside an interface and refuses. */
  #sliceIndex(operand: Operand, code: string, scope: Scope): string {
    let container = 'null'
    if (operand.kind === 'dot') container = scope.dot.container
    if (operand.kind === 'variable' && operand.path.length === 0) {
      container = scope.find(operand.name)?.container ?? 'null'
    }
    return `${this.#use('sliceIndex')}(run,${code},${container || 'undefined'})`
  }

  #builtinSite(
    name: IdentifierNode,
    command: CommandNode | IdentifierNode,
    operands: readonly Operand[],
  ): BuiltinSite {
    const first = operands[0]
    return {
      name: name.name,
      call: builtinFunction(name.name, first === undefined ? undefined : printOperand(first)),
      cost: builtinCost(name.name),
      callSite: this.#siteOf(command),
      nameSite: this.#siteOf(name),
      format: null,
      formatSite: null,
    }
  }

  #printf(
    name: IdentifierNode,
    command: CommandNode | IdentifierNode,
    operands: readonly Operand[],
    scope: Scope,
    final: string | null,
  ): Expression {
    const [first, ...rest] = operands
    const base = this.#builtinSite(name, command, operands)
    const format = this.#format(first, scope, name)
    const values = rest.map((operand) => `${this.#operand(operand, scope, false).code}??null`)
    if (final !== null && first !== undefined) values.push(`${final}??null`)
    const at = first === undefined ? name : lastVisited(first)
    const site: BuiltinSite = {
      ...base,
      format: first?.kind === 'string' ? this.#compileFormat(first.text) : null,
      formatSite: at === DYNAMIC ? null : this.#siteOf(at),
    }
    const constant = this.#context.constants.add(site, 'formatSite')
    const code =
      site.format === null
        ? `${this.#use('formatWith')}(run,${constant},${this.#use('formatArgument')}(run,${constant},${first === undefined ? final : format}),[${values}])`
        : this.#literalCall(constant, values)
    return { code, nullable: false }
  }

  /**
   * A printf with a literal format of a few values that is all there is to print: its call, to follow the output, and
   * the text that is due after it.
   */
  printedFormat({ commands, declarations }: PipeNode, scope: Scope): PrintedFormat | null {
    const [command] = commands
    const [name, format, ...operands] = command?.operands ?? []
    const isPrintf = name?.kind === 'identifier' && name.name === 'printf' && format?.kind === 'string'
    if (command === undefined || commands.length > 1 || declarations.length > 0) return null
    const helper = printFormatOf(operands.length)
    if (!isPrintf || helper === undefined) return null
    const values = operands.map((operand) => `${this.#operand(operand, scope, false).code}??null`)
    const [head, tail] = this.#compileFormat(format.text).splitTail(operands.length)
    const base = this.#builtinSite(name, command, command.operands.slice(1))
    const site = this.#context.constants.add(
      { ...base, format: head, formatSite: this.#siteOf(format) },
      'formatSite',
    )
    return { code: `${this.#use(helper)}(run,out,${site},${values})`, tail }
  }

  #compileFormat(format: string): CompiledFormat {
    return compileFormat(format, this.#context.remembering.left-- > 0)
  }

  #format(first: Operand | undefined, scope: Scope, name: IdentifierNode): string {
    if (first === undefined) return ''
    switch (first.kind) {
      case 'string':
        return ''
      case 'bool':
      case 'number':
      case 'nil':
        return this.failure(first, constantMessage(first, 'string'))
      default:
        return this.#operand(first, scope, isTruthFunction(name.name)).code
    }
  }

  #functionCall(
    name: IdentifierNode,
    command: CommandNode | IdentifierNode,
    operands: readonly Operand[],
    scope: Scope,
    final: Expression | null,
  ): Expression {
    const call = this.#callSite(
      name.name,
      this.#siteOf(name),
      this.#siteOf(command),
      operands,
      final !== null,
      name,
    )
    return this.#withFinal(final, (finalLocal) => {
      const bound = this.#take()
      const values = this.#arguments(operands, bound, scope, finalLocal, isTruthFunction(name.name))
      this.#release(1)
      return { code: `(${bound}=run.resolve(${call}),run.invoke(${bound},[${values}]))`, nullable: true }
    })
  }

  #arguments(
    operands: readonly Operand[],
    bound: string,
    scope: Scope,
    final: string | null,
    guarded: boolean,
  ): string {
    const values = operands.map((operand, i) => {
      if (isConstant(operand)) return `${bound}.constant(run,${i})`
      return `${bound}.argument(run,${i},${this.#operand(operand, scope, guarded).code})`
    })
    if (final !== null) values.push(`${bound}.final(run,${final})`)
    return values.join(',')
  }

  #callSite(
    name: string,
    nameSite: Site,
    callSite: Site,
    operands: readonly Operand[],
    hasFinal: boolean,
    node: Node,
  ): string {
    const operandSites = operands.map((operand) => {
      const at = lastVisited(operand)
      return at === DYNAMIC ? null : this.#siteOf(at)
    })
    const site: CallSite = {
      name,
      nameSite,
      callSite,
      operands,
      operandSites,
      hasFinal,
      finalSite: operandSites.length === 0 ? this.#siteOf(node) : (operandSites.at(-1) ?? null),
      functions: this.#context.functions,
      bound: null,
    }
    return this.#context.constants.add(site, 'callSite')
  }

  #literalCall(site: string, values: readonly string[]): string {
    return areFew(values)
      ? `${this.#use(formatOf(values.length))}(run,${site},${values})`
      : `${this.#use('formatAll')}(run,${site},[${values}])`
  }

  #use(helper: HelperName): string {
    return this.#context.constants.use(helper)
  }

  #siteOf(node: Node): Site {
    const { program, template } = this.#context
    return { program, template, node }
  }

  #take(): string {
    const local = `temporary${this.#scratch++}`
    this.#maxScratch = Math.max(this.#maxScratch, this.#scratch)
    return local
  }

  #release(count: number): void {
    this.#scratch -= count
  }
}

/** True if the value of a pipeline is part of the render's data. */
export function isDataPipe(pipe: PipeNode, scope: Scope): boolean {
  const [command] = pipe.commands
  if (pipe.commands.length !== 1 || command?.operands.length !== 1) return false
  const [operand] = command.operands as [Operand]
  if (operand.kind === 'dot' || operand.kind === 'field') return scope.dot.fromData
  return operand.kind === 'variable' && scope.find(operand.name)?.fromData === true
}

function lastType(builtin: string): string {
  return BUILTIN_PARAMETERS.get(builtin)?.types.at(-1) ?? 'any'
}

function takesTruth(command: CommandNode): boolean {
  const [first] = command.operands
  return first?.kind === 'identifier' && isTruthFunction(first.name)
}

function textOf(operand: Operand | undefined): string | null {
  return operand?.kind === 'string' ? operand.text : null
}

function isConstant(operand: Operand): boolean {
  return ['bool', 'number', 'string', 'nil'].includes(operand.kind)
}

function writtenPath(node: Node, path: readonly string[]): readonly string[] {
  return node.kind === 'variable' ? [node.name, ...path] : path
}

/** An operand as it stands in a command: Go prints a pipeline alone without its parentheses. */
function printOperand(operand: Operand): string {
  return printNode(operand)
}
