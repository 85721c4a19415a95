import type { Operand, PipeNode, StringNode } from '../../ast.js'
import { BUILTINS, type Builtin } from '../../builtins.js'
import { type QuickFormat, quickFormat, quickFormatAndTail } from '../../fast/quick-format.js'
import type { LiteralFormatSite, OpenFormatSite } from '../../run/builtin-site.js'
import type { HelperName } from '../../run/operations.js'
import { constantMessage } from '../../run/parameters.js'
import type { Frame } from '../frame.js'
import type { Scope } from '../scope.js'
import { builtinSite } from './builtin-call.js'
import { type BuiltinExpression, certain, type Emitter, type Expression } from './expression.js'
import { lastVisited } from './places.js'

const FORMATS: readonly HelperName[] = ['formatAll', 'format1', 'format2', 'format3']
const PRINTED_FORMATS: readonly HelperName[] = ['printFormat1', 'printFormat2', 'printFormat3']

/** A printf as a call that adds to the output, and the text that is due after it. */
export interface PrintedFormat {
  readonly code: string
  readonly tail: string
}

/** `printf`: a literal format is compiled with the template, any other one is read when it runs. */
export function emitPrintf(emitter: Emitter, call: BuiltinExpression, builtin: Builtin): Expression {
  const [first, ...values] = call.operands
  if (first === undefined) return withFormat(emitter, call, builtin, call.finalLocal ?? 'undefined', [])
  const format = first.kind === 'string' ? '' : formatOperand(emitter, first, call.scope)
  const codes = valuesOf(emitter, values, call.scope)
  if (call.finalLocal !== null) codes.push(`${call.finalLocal}??null`)
  if (first.kind !== 'string') return withFormat(emitter, call, builtin, format, codes)
  const { frame } = emitter
  const site = literalSite(frame, call, builtin, compiled(frame, first))
  const helper = formatOf(codes.length)
  const list = helper === 'formatAll' ? `[${codes}]` : codes.join(',')
  return certain(`${frame.use(helper)}(run,${site},${list})`)
}

/**
 * A printf with a literal format of a few values that is all there is to print: its call, to follow the output, and
 * the text that is due after it; null for any other pipeline.
 */
export function emitPrintedFormat(
  emitter: Emitter,
  { commands: [command, ...others], declarations }: PipeNode,
  scope: Scope,
): PrintedFormat | null {
  if (command === undefined || others.length > 0 || declarations.length > 0) return null
  const [name, format, ...values] = command.operands
  if (name.kind !== 'identifier' || format?.kind !== 'string') return null
  const builtin = name.name === 'printf' ? BUILTINS.get(name.name) : undefined
  const helper = printFormatOf(values.length)
  if (builtin === undefined || helper === undefined) return null
  const { frame } = emitter
  const codes = valuesOf(emitter, values, scope)
  const [head, tail] = quickFormatAndTail(format.text, remembers(frame), values.length)
  const call: BuiltinExpression = { name, command, operands: [format, ...values], scope, finalLocal: null }
  const site = literalSite(frame, call, builtin, head)
  return { code: `${frame.use(helper)}(run,out,${site},${codes})`, tail }
}

/** A call with a format that is known when it runs. */
function withFormat(
  emitter: Emitter,
  call: BuiltinExpression,
  builtin: Builtin,
  format: string,
  values: readonly string[],
): Expression {
  const { frame } = emitter
  const [first] = call.operands
  const at = frame.visitedSite(first === undefined ? call.name : lastVisited(first))
  const open: OpenFormatSite = { ...builtinSite(frame, call, builtin), formatSite: at }
  const site = frame.context.constants.add(open, 'formatSite')
  const checked = `${frame.use('formatArgument')}(run,${site},${format})`
  return certain(`${frame.use('formatWith')}(run,${site},${checked},[${values}])`)
}

function literalSite(frame: Frame, call: BuiltinExpression, builtin: Builtin, format: QuickFormat): string {
  const { name, call: target, cost, callSite, nameSite } = builtinSite(frame, call, builtin)
  const site: LiteralFormatSite = { name, call: target, cost, callSite, nameSite, format }
  return frame.context.constants.add(site, 'formatSite')
}

function compiled(frame: Frame, { text }: StringNode): QuickFormat {
  return quickFormat(text, remembers(frame))
}

/** Whether one more format may keep the texts of small ints. */
function remembers({ context }: Frame): boolean {
  return context.generation.remembering.left-- > 0
}

function valuesOf(emitter: Emitter, operands: readonly Operand[], scope: Scope): string[] {
  return operands.map((operand) => `${emitter.operand(operand, scope, false).code}??null`)
}

function formatOperand(emitter: Emitter, operand: Operand, scope: Scope): string {
  switch (operand.kind) {
    case 'bool':
    case 'number':
    case 'nil':
      return emitter.frame.failure(operand, constantMessage(operand, 'string'))
    default:
      return emitter.operand(operand, scope, false).code
  }
}

/** The helper of a literal format with this number of values; none, or more than three, come as a list. */
function formatOf(values: number): HelperName {
  return (values === 0 ? undefined : FORMATS[values]) ?? 'formatAll'
}

/** The helper that prints a literal format of one to three values to the output; undefined for any other number. */
function printFormatOf(values: number): HelperName | undefined {
  return PRINTED_FORMATS[values - 1]
}
