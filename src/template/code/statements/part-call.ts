import { at } from '../../../util/at.js'
import type { ListItem, ListNode } from '../../ast.js'
import { LOOP_ELEMENT } from '../../loop-element.js'
import type { Constants } from '../constants.js'
import { partsOf } from '../parts.js'
import type { Scope } from '../scope.js'
import type { Writer } from './writer.js'

/** Makes the source of the function of a part, which has constants of its own. */
export type WritePart = (part: PartSource, constants: Constants) => string

/** A part of a list before it is written. */
export interface PartSource {
  readonly nodes: readonly ListItem[]
  readonly scope: Scope
  /** It is inside of some loop, in whichever function. */
  readonly isInLoop: boolean
}

/**
 * A list as calls of parts, each of which is generated when it is first reached. They share its scope: none is
 * reached, and so generated, before the ones that declare its variables.
 */
export function emitPartCalls(writer: Writer, list: ListNode, scope: Scope, write: WritePart): string {
  const start = writer.due.flush()
  return partsOf(list).reduce((code, nodes) => code + partCall(writer, nodes, scope, write), start)
}

function partCall(writer: Writer, nodes: readonly ListItem[], scope: Scope, write: WritePart): string {
  const { context, frame, loops } = writer
  const { mode, parts } = context.generation
  const isInLoop = loops.innermost !== undefined
  const part = context.constants.add(parts.link((own) => write({ nodes, scope, isInLoop }, own)))
  const site = frame.site(at(nodes, 0))
  const element = scope.find(LOOP_ELEMENT) === undefined ? 'undefined' : 'element'
  const ready = `if(!${part}.isReady)${mode.pauseToCompile(site)}`
  const call = `${ready}out=${mode.steps}${part}.get()(run,out,dot,${element},locals);`
  if (!isInLoop) return call
  const leave = `if(value===1)${loops.leave('break')}${loops.leave('continue')}`
  return `${call}if(locals[0]!==0){value=locals[0];locals[0]=0;${leave}}`
}
