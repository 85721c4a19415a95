import type { ActionNode, TemplateNode } from '../../ast.js'
import { LOOP_ELEMENT } from '../../loop-element.js'
import { constantName } from '../constants.js'
import { emitPrintedFormat } from '../expressions/printf.js'
import { Phrase } from '../phrase.js'
import type { Scope } from '../scope.js'
import { emitText, type Writer } from './writer.js'

/** Texts and small integers print as they are. */
const PRINT_PLAIN =
  'if(typeof value==="string")out+=value;else if(typeof value==="number"&&(value|0)===value)out+=""+value;else '

/** How a value is added to each kind of output, by the place of its pipeline. */
const PRINTS = {
  text: { helper: 'print', code: printPhrase(`${PRINT_PLAIN}out=print`) },
  json: { helper: 'printJson', code: printPhrase('out=printJson') },
} as const

/** `{{pipeline}}`: prints the value, or declares or assigns it. */
export function emitAction(writer: Writer, node: ActionNode, scope: Scope): string {
  const { pipe } = node
  const { frame, expressions, context, tracing } = writer
  const pause = frame.pause(node)
  const start = writer.due.flush()
  if (pipe.declarations.length > 0) {
    return `${start}value=${expressions.pipe(pipe, scope, false)};${mark(writer)}${pause}`
  }
  const isPlain = context.generation.mode.joinsTexts && !context.generation.json
  const format = isPlain ? emitPrintedFormat(expressions, pipe, scope) : null
  if (format !== null) return `${start}out=${format.code};${emitText(writer, format.tail)}`
  const { code } = expressions.rawPipe(pipe, scope, false)
  const print = tracing === null ? printed(writer, node) : tracing.print(node, pipe, scope)
  return `${start}value=${code};${print}${pause}`
}

/** Notes the place of a pending value that is not printed where it is made. */
export function mark({ frame }: Writer): string {
  return `if(value instanceof ${frame.use('Pending')})out=run.output.addMark(out,value);`
}

function printed({ frame, context }: Writer, node: ActionNode): string {
  const { helper, code } = context.generation.json ? PRINTS.json : PRINTS.text
  const { mode } = context.generation
  const index = context.constants.count
  frame.use(helper)
  frame.site(node.pipe)
  return code.at(index) + mode.printLarge
}

function printPhrase(start: string): Phrase {
  return new Phrase((index) => `${start}(run,out,value,${constantName('site', index)});`)
}

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
