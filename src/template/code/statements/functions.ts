import type { ListNode } from '../../ast.js'
import { LOOP_ELEMENT } from '../../loop-element.js'
import type { Origin } from '../../run/origin.js'
import type { CodeContext } from '../context.js'
import { FieldPhrase } from '../phrase.js'
import { Scope, type Variable } from '../scope.js'
import type { PartSource, WritePart } from './part-call.js'
import { Statements } from './statements.js'
import { OUTER_LOOP } from './writer.js'

/** How the main template of a program differs from its others. */
export interface FunctionOptions {
  /** Its dot is the render's data. */
  readonly isMain: boolean
  /** Long texts at its top go straight to where the render writes its bytes. */
  readonly isDirect: boolean
}

/** The function of a template: it takes the run, the output so far and dot, and returns the output. */
export function templateFunction(
  context: CodeContext,
  list: ListNode,
  { isMain, isDirect }: FunctionOptions,
): string {
  const statements = newStatements(context)
  statements.due.isDirect = isDirect
  const code = wholeList(statements, list, isMain)
  const locals = statements.frame.declarations() + (context.shared === null ? '' : 'const locals=[0];')
  return `${context.generation.mode.keyword}(run,out,dot${elementParameter(context)}){${locals}${code}}`
}

/** The function of a straight template, whose run is known ahead: it takes dot only. */
export function straightFunction(context: CodeContext, list: ListNode): string {
  const statements = newStatements(context)
  const code = wholeList(statements, list, true)
  return `function(dot${elementParameter(context)}){let out="";${statements.frame.declarations()}${code}}`
}

/** The function of a part of a list: it takes what is around it too. */
function partFunction(context: CodeContext, { nodes, scope, isInLoop }: PartSource): string {
  const statements = newStatements(context, isInLoop)
  const body = guarded(statements.items(nodes, scope) + statements.due.flush())
  return `${context.generation.mode.keyword}(run,out,dot,element,locals){${statements.frame.declarations()}${body}}`
}

/** Statements whose parts are functions of the same context, but for their constants. */
function newStatements(context: CodeContext, isInLoop = false): Statements {
  const writePart: WritePart = (part, constants) => partFunction({ ...context, constants }, part)
  return new Statements(context, writePart, isInLoop ? OUTER_LOOP : undefined)
}

const READ_OF_DOT = new FieldPhrase('dot')

function wholeList(statements: Statements, list: ListNode, isMain: boolean): string {
  const dot: Variable = {
    name: '',
    local: 'dot',
    container: '',
    fromData: isMain,
    origin: { kind: 'dot' },
    read: READ_OF_DOT,
  }
  const dollar = dollarOf(statements, dot)
  const start = dollar.local === dot.local ? '' : `${dollar.local}=${dot.local};`
  const element = elementOf(statements.context, dot)
  const variables = element === null ? [dollar] : [dollar, element.variable]
  const body = statements.body(list, new Scope(dot, variables)) + statements.due.flush()
  return guarded(`${element?.start ?? ''}${start}${body}`)
}

/** A failure takes with it what was printed before it. */
function guarded(body: string): string {
  return `try{${body}return out}catch(error){throw run.caught(error,out+due)}`
}

/** The variable `$` is the first dot, unless the template assigns it. */
function dollarOf({ context, frame }: Statements, dot: Variable): Variable {
  const name = '$'
  if (!context.assigned.has(name)) return { ...dot, name }
  const container = context.rangeAssigned.has(name) ? frame.newLocal('container') : ''
  const origin: Origin | undefined = context.generation.traced
    ? { kind: 'assigned', of: [{ kind: 'dot' }] }
    : undefined
  return { name, local: frame.newLocal('variable'), container, fromData: false, origin }
}

function elementParameter({ generation }: CodeContext): string {
  return generation.program.rules.hasLoopElement ? ',element' : ''
}

/** In the dialect that has one, the element of the loop around the place that includes the template. */
function elementOf(
  { generation, constants }: CodeContext,
  dot: Variable,
): { readonly variable: Variable; readonly start: string } | null {
  if (!generation.program.rules.hasLoopElement) return null
  const start = `if(element===undefined)element=dot?.[${constants.add('item')}];`
  return { variable: { ...dot, name: LOOP_ELEMENT, local: 'element', origin: { kind: 'element' } }, start }
}
