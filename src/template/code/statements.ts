import type { PartialLookup } from '../api.js'
import type { IfNode, ListItem, ListNode, Node, PipeNode, RangeNode, TemplateNode, WithNode } from '../ast.js'
import { type DueState, DueText } from '../fast/due-text.js'
import { endsInText, textAtEnd, withText } from '../fast/text-places.js'
import { LOOP_ELEMENT } from '../loop-element.js'
import type { HelperName } from '../run/operations.js'
import type { Origin } from '../run/origin.js'
import type { Constants } from './constants.js'
import { type ExpressionContext, Expressions, isDataPipe } from './expressions.js'
import { originOf } from './origin-of.js'
import { isLong, type PartLinker, partsOf } from './parts.js'
import { Scope, type Variable } from './scope.js'
import { noteOrigin, Tracing } from './tracing.js'

export interface StatementContext extends ExpressionContext {
  readonly json: boolean
  /** The index of a template's function; undefined if the text does not define it. */
  readonly targetOf: (name: string) => number | undefined
  /** Where the template itself looks for templates from outside the text. */
  readonly partials: PartialLookup | undefined
  /** The index of a function that runs a template from outside the text. */
  readonly partialIndex: (node: TemplateNode) => number
  /** Makes the parts of a large template when they are first reached. */
  readonly parts: PartLinker
}

/** Texts and small integers print as they are. */
const PRINT_TEXT =
  'if(typeof value==="string")out+=value;else if(typeof value==="number"&&(value|0)===value)out+=""+value;'

/** The labels that break and continue go to. */
interface Loop {
  readonly break: string
  readonly continue: string
}

/** The loop around a part: leaving it is up to the function that called the part. */
const OUTER_LOOP: Loop = { break: '@1', continue: '@2' }

/** Goes to a label if there is one, or returns from a part with what its caller shall do. */
function leaveTo(label: string, keyword: 'break' | 'continue' = 'break'): string {
  if (label === '') return ''
  return label.startsWith('@') ? `{run.jump=${label.slice(1)};return out}` : `${keyword} ${label};`
}

function inElse(code: string): string {
  return code === '' ? '' : `else{${code}}`
}

/** Turns one template into a JavaScript function; each kind of node has one fixed shape. */
export class Statements {
  readonly #context: StatementContext
  readonly #expressions: Expressions
  readonly #due: DueText
  readonly #tracing: Tracing
  readonly #loops: Loop[]
  /** Bodies of loops whose last text stays due at the end of a round. */
  readonly #carrying = new Set<readonly ListItem[]>()
  #loopCount = 0
  #usesBudget = false

  constructor(context: StatementContext, loops: readonly Loop[] = []) {
    this.#context = context
    this.#due = new DueText(context.constants)
    this.#loops = [...loops]
    this.#expressions = new Expressions(context)
    this.#tracing = new Tracing(context)
  }

  /** The function's source: it takes the run, the output so far and dot, and returns the output. */
  function(list: ListNode, isMain: boolean, isDirect: boolean): string {
    this.#due.isDirect = isDirect
    const { asynchronous, shared } = this.#context
    const code = this.#whole(list, isMain)
    const keyword = asynchronous ? 'async function' : 'function'
    const locals = this.#expressions.declarations() + (shared === null ? '' : 'const locals=[];')
    return `${keyword}(run,out,dot${this.#elementParameter}){${locals}${this.#budget}${code}}`
  }

  /** The same for a straight template, with a run that is known ahead: it takes dot only. */
  straightFunction(list: ListNode): string {
    const code = this.#whole(list, true)
    return `function(dot${this.#elementParameter}){let out="";${this.#expressions.declarations()}${code}}`
  }

  #whole(list: ListNode, isMain: boolean): string {
    const dot: Variable = { name: '', local: 'dot', container: '', fromData: isMain, origin: { kind: 'dot' } }
    const dollar = this.#dollar(dot)
    const start = dollar.local === dot.local ? '' : `${dollar.local}=${dot.local};`
    const element = this.#element(dot)
    const variables = element === null ? [dollar] : [dollar, element.variable]
    const body = this.#body(list, new Scope(dot, variables)) + this.#due.flush()
    return `try{${element?.start ?? ''}${start}${body}return out}catch(error){throw run.caught(error,out+due)}`
  }

  /** The function of a part of a list: it takes what is around it and returns the output. */
  part(nodes: readonly ListItem[], scope: Scope): string {
    const body = this.#items(nodes, scope) + this.#due.flush()
    const keyword = this.#context.asynchronous ? 'async function' : 'function'
    return `${keyword}(run,out,dot,element,locals){${this.#expressions.declarations()}${this.#budget}try{${body}return out}catch(error){throw run.caught(error,out+due)}}`
  }

  /** Notes the place of a pending value that is not printed where it is made. */
  get #mark(): string {
    return `if(value instanceof ${this.#use('Pending')})out=run.mark(out,value);`
  }

  #use(helper: HelperName): string {
    return this.#context.constants.use(helper)
  }

  get #budget(): string {
    return this.#usesBudget ? 'const budget=run.budget;' : ''
  }

  /** The variable `$` is the first dot, unless the template assigns it. */
  #dollar(dot: Variable): Variable {
    const name = '$'
    const { assigned, rangeAssigned } = this.#context
    if (!assigned.has(name)) return { ...dot, name }
    const container = rangeAssigned.has(name) ? this.#expressions.newLocal() : ''
    const origin: Origin | undefined = this.#context.traced
      ? { kind: 'assigned', of: [{ kind: 'dot' }] }
      : undefined
    return { name, local: this.#expressions.newLocal(), container, fromData: false, origin }
  }

  get #elementParameter(): string {
    return this.#context.program.rules.hasLoopElement ? ',element' : ''
  }

  /** In the dialect that has one, the element of the loop around the place that includes the template. */
  #element(dot: Variable): { readonly variable: Variable; readonly start: string } | null {
    if (!this.#context.program.rules.hasLoopElement) return null
    const start = `if(element===undefined)element=dot?.[${this.#context.constants.add('item')}];`
    return { variable: { ...dot, name: LOOP_ELEMENT, local: 'element', origin: { kind: 'element' } }, start }
  }

  #list(list: ListNode, scope: Scope): string {
    if (this.#context.shared === null || !isLong(list)) return this.#items(list.nodes, scope)
    return this.#callParts(list, scope)
  }

  /** The whole list of a template, of which a large program may have thousands. */
  #body(list: ListNode, scope: Scope): string {
    return this.#context.shared === null ? this.#items(list.nodes, scope) : this.#callParts(list, scope)
  }

  #callParts(list: ListNode, scope: Scope): string {
    const start = this.#due.flush()
    return partsOf(list).reduce((code, nodes) => code + this.#callPart(nodes, scope), start)
  }

  #items(nodes: readonly ListItem[], scope: Scope): string {
    let code = ''
    for (let i = 0; i < nodes.length; i++) {
      const node = nodes[i] as ListItem
      const [next, afterNext] = [nodes[i + 1], nodes[i + 2]]
      const isEndOfRound = this.#carrying.has(nodes) && afterNext === undefined
      if (next?.kind === 'text' && !isEndOfRound && this.#takesIn(node, afterNext)) {
        code += this.#item(withText(node, next), scope)
        i++
      } else code += this.#item(node, scope)
    }
    return code
  }

  /**
   * A call of a part, which is generated when it is first reached. Parts of one list share its scope: none is
   * reached, and so generated, before the ones that declare its variables.
   */
  #callPart(nodes: readonly ListItem[], scope: Scope): string {
    const { constants, parts, asynchronous } = this.#context
    const loop = this.#loops.at(-1)
    const generatePart = (own: Constants) => {
      const context = { ...this.#context, constants: own }
      return new Statements(context, loop === undefined ? [] : [OUTER_LOOP]).part(nodes, scope)
    }
    const part = constants.add(parts.link(generatePart))
    const site = this.#expressions.site(nodes[0] as ListItem)
    const element = scope.find(LOOP_ELEMENT) === undefined ? 'undefined' : 'element'
    const ready = `if(!${part}.isReady)${asynchronous ? `out=await run.pause(out,${site})` : `run.clock(${site})`};`
    const call = `out=${asynchronous ? 'await ' : ''}${part}.get()(run,out,dot,${element},locals);`
    if (loop === undefined) return ready + call
    const leave = `if(run.jump!==0){value=run.jump;run.jump=0;if(value===1)${leaveTo(loop.break)}${leaveTo(loop.continue, 'continue')}}`
    return ready + call + leave
  }

  /** Whether text after a branch becomes part of its lists, because it joins more text there than behind it. */
  #takesIn(node: ListItem, afterText: ListItem | undefined): node is IfNode | WithNode {
    if (this.#context.asynchronous || (node.kind !== 'if' && node.kind !== 'with')) return false
    const isCarried = this.#mayCarry && afterText?.kind === 'range' && textAtEnd(afterText) !== null
    return !isCarried && endsInText(node, this.#due.isDue)
  }

  #item(node: ListItem, scope: Scope): string {
    switch (node.kind) {
      case 'text':
        return this.#context.traced ? this.#tracing.text(node) : this.#text(node.text)
      case 'action':
        return this.#action(node.pipe, node, scope)
      case 'if':
        return this.#if(node, scope)
      case 'with':
        return this.#with(node, scope)
      case 'range':
        return this.#range(node, scope)
      case 'template':
        return this.#template(node, scope)
      case 'break':
        return this.#due.flush() + leaveTo(this.#loops.at(-1)?.break ?? '')
      case 'continue':
        return this.#due.flush() + leaveTo(this.#loops.at(-1)?.continue ?? '', 'continue')
    }
  }

  /** Where the render may pause text is added at once. */
  #text(text: string): string {
    this.#due.add(text)
    return this.#context.asynchronous ? this.#due.flush() : ''
  }

  #action(pipe: PipeNode, node: ListItem, scope: Scope): string {
    const pause = this.#pause(node)
    const start = this.#due.flush()
    if (pipe.declarations.length > 0) {
      return `${start}value=${this.#expressions.pipe(pipe, scope, false)};${this.#mark}${pause}`
    }
    const { json, asynchronous } = this.#context
    const format = json || asynchronous ? null : this.#expressions.printedFormat(pipe, scope)
    if (format !== null) return `${start}out=${format.code};${this.#text(format.tail)}`
    const { code } = this.#expressions.rawPipe(pipe, scope, false)
    if (this.#context.traced) return `${start}value=${code};${this.#tracing.print(node, pipe, scope)}${pause}`
    return `${start}value=${code};${this.#print()}${pause}`
  }

  #print(): string {
    const { json, asynchronous } = this.#context
    const careful = `out=${this.#use(json ? 'printJson' : 'print')}(run,out,value);`
    const print = json ? careful : `${PRINT_TEXT}else ${careful}`
    return asynchronous ? `${print}if(run.large!==null)out=await run.printLarge(out);` : print
  }

  /** In cooperative mode, a place to let others run. */
  #pause(node: Node): string {
    if (!this.#context.asynchronous) return ''
    this.#usesBudget = true
    return `if(budget.work<0)out=await run.pause(out,${this.#expressions.site(node)});`
  }

  #if({ pipe, list, elseList }: IfNode, scope: Scope): string {
    const inner = scope.inner()
    const start = this.#due.note()
    const { code } = this.#expressions.rawPipe(pipe, inner, true)
    const condition = `value=${code};${this.#pause(pipe)}if(${this.#expressions.truth('value')})`
    return start + this.#branches(condition, list, inner, elseList, inner)
  }

  #with({ pipe, list, elseList }: WithNode, scope: Scope): string {
    const inner = scope.inner()
    const start = this.#due.note()
    const local = this.#expressions.newLocal()
    const fromData = isDataPipe(pipe, inner)
    const code = this.#expressions.pipe(pipe, inner, true)
    const condition = `${local}=${code};${this.#pause(pipe)}if(${this.#expressions.truth(local)})`
    const origin = this.#context.traced ? originOf(pipe, inner) : undefined
    const body = inner.inner({ name: '', local, container: '', fromData, origin })
    return start + this.#branches(condition, list, body, elseList, inner)
  }

  #branches(
    condition: string,
    list: ListNode,
    scope: Scope,
    elseList: ListNode | null,
    elseScope: Scope,
  ): string {
    return this.#inside(() => {
      const before = this.#due.state
      const body = this.#list(list, scope.inner())
      const after = this.#due.state
      this.#due.restore(before)
      const otherwise = elseList === null ? '' : this.#list(elseList, elseScope.inner())
      const otherEnd = this.#due.flush()
      return `${condition}{${body}${this.#end(after)}}${inElse(otherwise + otherEnd)}`
    })
  }

  /** Makes code that is not at the top of its template. */
  #inside(make: () => string): string {
    const { isDirect } = this.#due
    this.#due.isDirect = false
    const code = make()
    this.#due.isDirect = isDirect
    return code
  }

  /** Code that ends one of several ways that meet: where they do nothing is due. */
  #end(state: DueState): string {
    this.#due.restore(state)
    return this.#due.flush()
  }

  #range(node: RangeNode, scope: Scope): string {
    const inner = scope.inner()
    const expressions = this.#expressions
    const list = expressions.newLocal()
    const cursor = expressions.newLocal()
    const index = expressions.newLocal()
    const length = expressions.newLocal()
    const item = expressions.newLocal()
    const fromData = isDataPipe(node.pipe, inner)
    const start = this.#carry(node)
    const value = expressions.pipe(node.pipe, inner, false)
    const count = expressions.site(node)
    const settle = this.#context.asynchronous
      ? `if(${list} instanceof ${this.#use('Pending')})${list}=await run.need(${list});`
      : ''
    const open =
      `${list}=${value};${settle}` +
      `if(${this.#use('isArray')}(${list})){${cursor}=null;${length}=${list}.length}` +
      `else{${cursor}=${this.#use('openLoop')}(run,${list},${expressions.lastSite(node.pipe)},${String(node.pipe.declarations.length)});` +
      `${length}=${cursor}.length}`
    const round = this.#context.traced ? this.#tracing.round(node, index, cursor) : ''
    const bind = `${round}${item}=${cursor}===null?${list}[${index}]:${this.#use('elementAt')}(${cursor},${index});`
    const label = `loop${this.#loopCount++}`
    const outer = this.#loops.at(-1)
    this.#loops.push({ break: label, continue: label })
    const origin: Origin | undefined = this.#context.traced
      ? { kind: 'round', of: originOf(node.pipe, inner), loop: node }
      : undefined
    const element: Variable = {
      name: '',
      local: item,
      container: list,
      fromData,
      origin,
    }
    const loopScope = inner.inner(element)
    const variables = this.#loopVariables(node, loopScope, item, index, cursor, element)
    const carried = this.#due.state
    if (carried.pieces.length > 0) this.#carrying.add(node.list.nodes)
    const body = this.#inside(() => this.#list(node.list, loopScope) + this.#roundEnd(carried))
    this.#loops.pop()
    const tick = this.#tick(count)
    const after = this.#context.traced ? this.#tracing.endOfLoop(node) : ''
    const loop = `${label}:for(${index}=0;${index}<${length};${index}++){${tick}${bind}${variables}${body}}${after}`
    if (node.elseList === null) return `${start}${open}if(${length}>0){${loop}}`
    const { elseList } = node
    const otherwise = this.#inside(() => this.#rangeElse(elseList, inner, label, outer))
    const end = this.#inside(() => this.#end(carried))
    return `${start}${open}if(${length}>0){${loop}${end}}${otherwise}`
  }

  /**
   * The text at the end of a round that also stands before the loop stays due, to be joined with the start of the
   * next round and with what follows the loop.
   */
  #carry(node: RangeNode): string {
    const last = this.#mayCarry && this.#due.isDue ? textAtEnd(node) : null
    if (last === null) return this.#due.flush()
    const carried = this.#due.text.endsWith(last) ? last : ''
    const start = this.#due.flushBut(carried)
    this.#due.add(carried)
    return start + this.#due.note()
  }

  /** Ends a round with that due which was due at its start. */
  #roundEnd(start: DueState): string {
    const code = this.#due.flushBut(start.pieces.join(''))
    this.#due.restore(start)
    return start.pieces.length === 0 ? code : `${code}due=${start.name};`
  }

  get #mayCarry(): boolean {
    return this.#context.shared === null && !this.#context.asynchronous
  }

  /** In a range's else, break leaves just that range, while continue belongs to the loop around. */
  #rangeElse(list: ListNode, scope: Scope, label: string, outer: Loop | undefined): string {
    const end = `${label}Else`
    this.#loops.push({ break: end, continue: outer?.continue ?? '' })
    const body = this.#list(list, scope.inner()) + this.#due.flush()
    this.#loops.pop()
    return `else ${end}:{${body}}`
  }

  #tick(site: string): string {
    this.#usesBudget = true
    return this.#context.asynchronous
      ? `if(--budget.steps<0||budget.work<0||out.length>budget.maxOutput)out=await run.pause(out,${site});`
      : `if(--budget.steps<0||out.length>budget.maxOutput)out=run.tick(out,${site});`
  }

  /** Sets the variables of a range before each round: one is the element, two are key and element. */
  #loopVariables(
    node: RangeNode,
    scope: Scope,
    item: string,
    index: string,
    cursor: string,
    element: Variable,
  ): string {
    const names = node.pipe.declarations.map(({ name }) => name)
    const key = `${cursor}===null||${cursor}.keys===null?${index}:${cursor}.keys[${index}]`
    const values = names.length === 2 ? [key, item] : [item]
    return names
      .map((name, i) => {
        const isKey = names.length === 2 && i === 0
        return this.#loopVariable(name, values[i] as string, isKey, node.pipe.isAssign, scope, element)
      })
      .join('')
  }

  #loopVariable(
    name: string,
    value: string,
    isKey: boolean,
    isAssign: boolean,
    scope: Scope,
    element: Variable,
  ): string {
    if (element.origin !== undefined) noteOrigin(name, isKey, element.origin, scope)
    const variable = scope.find(name)
    if (variable === undefined) return ''
    const container = isKey ? '' : element.container
    const known = `${variable.local}=${value};`
    if (variable.container !== '') return `${variable.container}=${container || 'undefined'};${known}`
    if (isAssign) return known
    if (!this.#context.assigned.has(name) || container === '') {
      const fromData = !isKey && element.fromData && !this.#context.assigned.has(name)
      scope.refine({ ...variable, container, fromData })
      return known
    }
    // An assignment in the body says that the value is no element, but the loop still needs its list.
    const own = this.#expressions.newLocal()
    scope.refine({ ...variable, container: own, fromData: false })
    return `${own}=${container};${known}`
  }

  #template(node: TemplateNode, scope: Scope): string {
    const { constants, asynchronous } = this.#context
    const target = this.#context.targetOf(node.name)
    const index = constants.add(target ?? this.#context.partialIndex(node))
    const site = this.#expressions.site(node)
    const source = constants.add(target === undefined ? this.#context.partials : 'text')
    const dot = node.pipe === null ? 'undefined' : this.#expressions.pipe(node.pipe, scope, false)
    const element = scope.find(LOOP_ELEMENT)
    const values = element === undefined ? 'value' : `value,${element.local}`
    const call = `${asynchronous ? 'await ' : ''}templates[${index}](run,out,${values})`
    const start = this.#due.flush()
    this.#usesBudget = true
    const [before, after] = this.#context.traced ? this.#tracing.call(node, scope) : ['', '']
    return `${start}out=run.enter(${site},${source},out);value=${dot};${this.#mark}${before}out=${call};${after}budget.depth--;${this.#pause(node)}`
  }
}
