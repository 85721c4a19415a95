import type { TemplateNode } from '../../ast.js'
import { LOOP_ELEMENT } from '../../loop-element.js'
import type { Scope } from '../scope.js'
import { mark } from './action.js'
import type { Writer } from './writer.js'

/** `{{template "name" pipeline}}`: a function of the text's own, or one that runs a template from outside. */
export function emitTemplateCall(writer: Writer, node: TemplateNode, scope: Scope): string {
  const { context, frame, expressions, tracing } = writer
  const { constants, generation } = context
  const target = generation.targetOf(node.name)
  const index = constants.add(target ?? generation.partialIndex(node))
  const site = frame.site(node)
  const source = constants.add(target === undefined ? generation.partials : 'text')
  const dot = node.pipe === null ? 'undefined' : expressions.pipe(node.pipe, scope, false)
  const element = scope.find(LOOP_ELEMENT)
  const values = element === undefined ? 'value' : `value,${element.local}`
  const call = `out=${generation.mode.steps}templates[${index}](run,out,${values});`
  const enter = `out=run.enter(${site},${source},out);value=${dot};${mark(writer)}`
  const traced = tracing === null ? call : tracing.call(node, scope, call)
  return `${writer.due.flush()}${enter}${traced}${frame.leaveTemplate()}${frame.pause(node)}`
}
