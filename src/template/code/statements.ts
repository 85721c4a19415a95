import type { PartialLookup } from '../api.js'
import type {
  ActionNode,
  ListItem,
  ListNode,
  Node,
  PipeNode,
  RangeNode,
  TemplateNode,
  TextNode,
} from '../ast.js'
import { LOOP_ELEMENT } from '../handlebars/rules.js'
import type { Constants } from './constants.js'
import { type ExpressionContext, Expressions, isDataPipe } from './expressions.js'
import { isLong, type PartLinker, partsOf } from './parts.js'
import { Scope, type Variable } from './scope.js'

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
const PRINT_TEXT = 'o=typeof x==="string"||typeof x==="number"&&(x|0)===x?o+x:W(r,o,x);'

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
  return label.startsWith('@') ? `{r.jump=${label.slice(1)};return o}` : `${keyword} ${label};`
}

/** Notes the place of a pending value that is not printed where it is made. */
const MARK = 'if(x instanceof P)o=r.mark(o,x);'

/** Turns one template into a JavaScript function; each kind of node has one fixed shape. */
export class Statements {
  readonly #context: StatementContext
  readonly #expressions: Expressions
  readonly #loops: Loop[]
  #loopCount = 0

  constructor(context: StatementContext, loops: readonly Loop[] = []) {
    this.#context = context
    this.#loops = [...loops]
    this.#expressions = new Expressions(context)
  }

  /** The function's source: it takes the run, the output so far and dot, and returns the output. */
  function(list: ListNode, isMain: boolean): string {
    const dot: Variable = { name: '', local: 'd', container: '', fromData: isMain }
    const dollar = this.#dollar(dot)
    const start = dollar.local === dot.local ? '' : `${dollar.local}=${dot.local};`
    const element = this.#element(dot)
    const variables = element === null ? [dollar] : [dollar, element.variable]
    const body = (element?.start ?? '') + start + this.#body(list, new Scope(dot, variables))
    const keyword = this.#context.asynchronous ? 'async function' : 'function'
    const locals = this.#expressions.declarations()
    return `${keyword}(r,o,d${element === null ? '' : ',i'}){${locals}${this.#context.shared === null ? '' : 'const V=[];'}try{${body}return o}catch(e){throw r.caught(e,o+s)}}`
  }

  /** The function of a part of a list: it takes what is around it and returns the output. */
  part(nodes: readonly ListItem[], scope: Scope): string {
    const body = this.#items(nodes, scope)
    const keyword = this.#context.asynchronous ? 'async function' : 'function'
    return `${keyword}(r,o,d,i,V){${this.#expressions.declarations()}try{${body}return o}catch(e){throw r.caught(e,o+s)}}`
  }

  /** The variable `$` is the first dot, unless the template assigns it. */
  #dollar(dot: Variable): Variable {
    const name = '$'
    const { assigned, rangeAssigned } = this.#context
    if (!assigned.has(name)) return { ...dot, name }
    const container = rangeAssigned.has(name) ? this.#expressions.newLocal() : ''
    return { name, local: this.#expressions.newLocal(), container, fromData: false }
  }

  /** In the dialect that has one, the element of the loop around the place that includes the template. */
  #element(dot: Variable): { readonly variable: Variable; readonly start: string } | null {
    if (this.#context.program.rules.dialect === 'go') return null
    const start = `if(i===undefined)i=d?.[${this.#context.constants.add('item')}];`
    return { variable: { ...dot, name: LOOP_ELEMENT, local: 'i' }, start }
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
    return partsOf(list)
      .map((nodes) => this.#callPart(nodes, scope))
      .join('')
  }

  #items(nodes: readonly ListItem[], scope: Scope): string {
    let code = ''
    for (let i = 0; i < nodes.length; ) {
      const piece = this.#piece(nodes, i)
      code += piece.length > 1 ? this.#pieces(piece, scope) : this.#item(nodes[i] as ListItem, scope)
      i += Math.max(1, piece.length)
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
    const element = scope.find(LOOP_ELEMENT) === undefined ? 'undefined' : 'i'
    const ready = `if(!${part}.isReady)${asynchronous ? `o=await r.pause(o,${site})` : `r.clock(${site})`};`
    const call = `o=${asynchronous ? 'await ' : ''}${part}.get()(r,o,d,${element},V);`
    if (loop === undefined) return ready + call
    const leave = `if(r.jump!==0){x=r.jump;r.jump=0;if(x===1)${leaveTo(loop.break)}${leaveTo(loop.continue, 'continue')}}`
    return ready + call + leave
  }

  /** The texts and prints that follow one another from an index; none where the render may pause between them. */
  #piece(nodes: readonly ListItem[], start: number): (TextNode | ActionNode)[] {
    const piece: (TextNode | ActionNode)[] = []
    for (let i = start; i < nodes.length && !this.#context.asynchronous; i++) {
      const node = nodes[i] as ListItem
      const isPrint = node.kind === 'action' && node.pipe.declarations.length === 0
      if (node.kind !== 'text' && !isPrint) break
      piece.push(node as TextNode | ActionNode)
    }
    return piece
  }

  /** Texts and prints in a row are joined first: short pieces become one string instead of links of a chain. */
  #pieces(nodes: readonly (TextNode | ActionNode)[], scope: Scope): string {
    const [add, write] = this.#context.json ? ['s+=Q(x)', 'J'] : ['s+=x', 'W']
    const parts = nodes.map((node) => {
      if (node.kind === 'text') return `s+=${this.#context.constants.addText(node.text)};`
      const { code } = this.#expressions.rawPipe(node.pipe, scope, false)
      return `x=${code};if(typeof x==="string")${add};else if(typeof x==="number"&&(x|0)===x)s+=x;else{o=${write}(r,o+s,x);s=""}`
    })
    return `${parts.join('')}o+=s;s="";`
  }

  #item(node: ListItem, scope: Scope): string {
    switch (node.kind) {
      case 'text':
        return `o+=${this.#context.constants.addText(node.text)};`
      case 'action':
        return this.#action(node.pipe, node, scope)
      case 'if':
        return this.#if(node.pipe, node.list, node.elseList, scope)
      case 'with':
        return this.#with(node.pipe, node.list, node.elseList, scope)
      case 'range':
        return this.#range(node, scope)
      case 'template':
        return this.#template(node, scope)
      case 'break':
        return leaveTo(this.#loops.at(-1)?.break ?? '')
      case 'continue':
        return leaveTo(this.#loops.at(-1)?.continue ?? '', 'continue')
    }
  }

  #action(pipe: PipeNode, node: Node, scope: Scope): string {
    const pause = this.#pause(node)
    if (pipe.declarations.length > 0) {
      return `x=${this.#expressions.pipe(pipe, scope, false)};${MARK}${pause}`
    }
    const { code } = this.#expressions.rawPipe(pipe, scope, false)
    return `x=${code};${this.#print()}${pause}`
  }

  #print(): string {
    const print = this.#context.json ? 'o=J(r,o,x);' : PRINT_TEXT
    return this.#context.asynchronous ? `${print}if(r.large!==null)o=await r.printLarge(o);` : print
  }

  /** In cooperative mode, a place to let others run. */
  #pause(node: Node): string {
    if (!this.#context.asynchronous) return ''
    return `if(r.work<0)o=await r.pause(o,${this.#expressions.site(node)});`
  }

  #if(pipe: PipeNode, list: ListNode, elseList: ListNode | null, scope: Scope): string {
    const inner = scope.inner()
    const { code } = this.#expressions.rawPipe(pipe, inner, true)
    const condition = `x=${code};${this.#pause(pipe)}if(${this.#expressions.truth('x')})`
    return this.#branches(condition, list, inner, elseList, inner)
  }

  #with(pipe: PipeNode, list: ListNode, elseList: ListNode | null, scope: Scope): string {
    const inner = scope.inner()
    const local = this.#expressions.newLocal()
    const fromData = isDataPipe(pipe, inner)
    const code = this.#expressions.pipe(pipe, inner, true)
    const condition = `${local}=${code};${this.#pause(pipe)}if(${this.#expressions.truth(local)})`
    const body = inner.inner({ name: '', local, container: '', fromData })
    return this.#branches(condition, list, body, elseList, inner)
  }

  #branches(
    condition: string,
    list: ListNode,
    scope: Scope,
    elseList: ListNode | null,
    elseScope: Scope,
  ): string {
    const body = this.#list(list, scope.inner())
    const otherwise = elseList === null ? '' : `else{${this.#list(elseList, elseScope.inner())}}`
    return `${condition}{${body}}${otherwise}`
  }

  #range(node: RangeNode, scope: Scope): string {
    const inner = scope.inner()
    const expressions = this.#expressions
    const [list, cursor, index, length] = [1, 2, 3, 4].map(() => expressions.newLocal())
    const item = expressions.newLocal()
    const fromData = isDataPipe(node.pipe, inner)
    const value = expressions.pipe(node.pipe, inner, false)
    const count = expressions.site(node)
    const settle = this.#context.asynchronous ? `if(${list} instanceof P)${list}=await r.need(${list});` : ''
    const open =
      `${list}=${value};${settle}` +
      `if(A(${list})){${cursor}=null;${length}=${list}.length}` +
      `else{${cursor}=R(r,${list},${expressions.lastSite(node.pipe)},${String(node.pipe.declarations.length)});` +
      `${length}=${cursor}.length}`
    const bind = `${item}=${cursor}===null?${list}[${index}]:E(${cursor},${index});`
    const label = `L${this.#loopCount++}`
    const outer = this.#loops.at(-1)
    this.#loops.push({ break: label, continue: label })
    const element: Variable = { name: '', local: item as string, container: list as string, fromData }
    const loopScope = inner.inner(element)
    const variables = this.#loopVariables(
      node,
      loopScope,
      item as string,
      index as string,
      cursor as string,
      element,
    )
    const body = this.#list(node.list, loopScope)
    this.#loops.pop()
    const tick = this.#tick(count)
    const loop = `${label}:for(${index}=0;${index}<${length};${index}++){${tick}${bind}${variables}${body}}`
    const otherwise = this.#rangeElse(node.elseList, inner, label, outer)
    return `${open}if(${length}>0){${loop}}${otherwise}`
  }

  /** In a range's else, break leaves just that range, while continue belongs to the loop around. */
  #rangeElse(list: ListNode | null, scope: Scope, label: string, outer: Loop | undefined): string {
    if (list === null) return ''
    const end = `E${label}`
    this.#loops.push({ break: end, continue: outer?.continue ?? '' })
    const body = this.#list(list, scope.inner())
    this.#loops.pop()
    return `else ${end}:{${body}}`
  }

  #tick(site: string): string {
    return this.#context.asynchronous
      ? `if(--r.f<0||r.work<0||o.length>r.m)o=await r.pause(o,${site});`
      : `if(--r.f<0||o.length>r.m)o=r.tick(o,${site});`
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
    const values = element === undefined ? 'x' : `x,${element.local}`
    const call = `${asynchronous ? 'await ' : ''}f[${index}](r,o,${values})`
    return `o=r.enter(${site},${source},o);x=${dot};${MARK}o=${call};r.depth--;${this.#pause(node)}`
  }
}
