import { isEmptyList, type ListItem, type ListNode, type PipeNode, type TemplateNode } from '../../ast.js'
import { quote } from '../../format/quote.js'
import { positionAt } from '../../position.js'
import type { Program } from '../../program.js'
import type { Parsing } from '../parsing.js'
import { Lexer, type Token } from './lexer.js'
import { PipelineParser } from './pipeline-parser.js'
import { ADAPTIVE_RULES, GO_RULES } from './rules.js'
import { type ParserOptions, type SourceText, TokenReader } from './token-reader.js'

/**
 * Begins to parse the text of a Go template.
 *
 * @throws TemplateError with Go's message, also while it is parsed
 */
export function parseGo(source: string, options: ParserOptions): Parsing {
  const [left, right] = options.delimiters
  const lexer = new Lexer(source, left || '{{', right || '}}', options.hasFunction)
  return new TemplateParser({ source, options, lexer, depth: 0, operands: 0 })
}

/** A template of the text that is being read: the main one, a definition or a block. Each has variables of its own. */
interface OpenTemplate {
  readonly tokens: TokenReader
  readonly pipelines: PipelineParser
  /** Loops around the present place. */
  loops: number
}

/** What waits for its `{{end}}`. */
type OpenBlock = OpenBranch | OpenDefinition

/** `{{if …}}` and its like. */
interface OpenBranch {
  readonly kind: 'if' | 'range' | 'with'
  /** Where its action begins. */
  readonly position: number
  readonly pipe: PipeNode
  /** Of variables, around it. */
  readonly scope: number
  readonly list: ListNode
  elseList: ListNode | null
  /** `{{else if …}}`: the `{{end}}` of the last one ends all of them. */
  readonly isChained: boolean
}

interface OpenDefinition {
  readonly kind: 'define' | 'block'
  readonly position: number
  readonly name: string
  readonly list: ListNode
  /** The template around it, and the call that a block is in there. */
  readonly outer: OpenTemplate
  readonly call: TemplateNode | null
}

/**
 * Parses a text node by node. What is half read is in a stack instead of on JavaScript's own, so that the parser
 * may rest after each node, however deep that is.
 */
class TemplateParser implements Parsing {
  readonly #root: ListNode
  /** By name. */
  readonly #templates = new Map<string, ListNode>()
  readonly #text: SourceText
  /** The innermost last. */
  readonly #blocks: OpenBlock[] = []
  #template: OpenTemplate
  /** Where the next node goes. */
  #list: ListNode

  constructor(text: SourceText) {
    this.#text = text
    this.#template = this.#newTemplate()
    this.#root = newList(this.#template.tokens.peek().position)
    this.#list = this.#root
  }

  advance(characters: number): boolean {
    const { lexer } = this.#text
    const stop = lexer.position + characters
    while (this.#step()) if (lexer.position >= stop) return true
    return false
  }

  program(): Program {
    const { source, options } = this.#text
    const { name, numbers } = options
    const rules = numbers === 'adaptive' ? ADAPTIVE_RULES : GO_RULES
    const templates = this.#templates
    return { name, source, rules, root: templates.get(name) ?? this.#root, templates }
  }

  /** Reads a text, an action, or the beginning or end of a block; false at the end. */
  #step(): boolean {
    const { tokens } = this.#template
    const token = tokens.nextNonSpace()
    switch (token.kind) {
      case 'text':
        this.#list.nodes.push({ kind: 'text', position: token.position, text: token.text })
        return true
      case 'left-delimiter':
        tokens.actionStart = token
        this.#text.operands = 0
        this.#action()
        return true
      case 'eof':
        if (this.#blocks.length > 0) tokens.fail('unexpected EOF', this.#unclosed())
        this.#define(this.#text.options.name, this.#root)
        return false
      default:
        return tokens.unexpected(token, 'input')
    }
  }

  /** Reads an action; one that is a node by itself goes into the present list. */
  #action(): void {
    const { tokens, pipelines } = this.#template
    const token = tokens.nextNonSpace()
    switch (token.kind) {
      case 'block':
        this.#beginBlock()
        return
      case 'break':
      case 'continue':
        this.#add(this.#loopControl(token.kind, token))
        return
      case 'define':
        // Elsewhere it is an operand that nobody knows.
        if (this.#blocks.length > 0) break
        this.#beginDefinition()
        return
      case 'else':
        this.#else()
        return
      case 'end':
        this.#end()
        return
      case 'if':
      case 'range':
      case 'with':
        this.#beginBranch(token.kind, false)
        return
      case 'template':
        this.#add(this.#templateCall())
        return
    }
    tokens.backup()
    const { position } = tokens.peek()
    this.#add({ kind: 'action', position, pipe: pipelines.pipeline('command', 'right-delimiter') })
  }

  /** An action is over. */
  #add(node: ListItem): void {
    this.#template.tokens.actionStart = null
    this.#list.nodes.push(node)
  }

  #loopControl(kind: 'break' | 'continue', token: Token): ListItem {
    const { tokens, loops } = this.#template
    const next = tokens.nextNonSpace()
    if (next.kind !== 'right-delimiter') tokens.unexpected(next, `{{${kind}}}`)
    if (loops === 0) tokens.fail(`{{${kind}}} outside {{range}}`)
    return { kind, position: token.position }
  }

  #templateCall(): TemplateNode {
    const context = 'template clause'
    const { tokens, pipelines } = this.#template
    const { position, name } = this.#templateName(context)
    if (tokens.nextNonSpace().kind === 'right-delimiter') {
      return { kind: 'template', position, name, pipe: null }
    }
    tokens.backup()
    return { kind: 'template', position, name, pipe: pipelines.pipeline(context, 'right-delimiter') }
  }

  #templateName(context: string) {
    const { tokens } = this.#template
    const token = tokens.nextNonSpace()
    if (token.kind !== 'string' && token.kind !== 'raw-string') tokens.unexpected(token, context)
    return { position: token.position, name: tokens.unquote(token) }
  }

  #beginBranch(kind: OpenBranch['kind'], isChained: boolean): void {
    const { pipelines } = this.#template
    const { scope } = pipelines
    const pipe = pipelines.pipeline(kind, 'right-delimiter')
    if (kind === 'range') this.#template.loops++
    const { position } = pipe
    const list = this.#beginList()
    this.#blocks.push({ kind, position, pipe, scope, list, elseList: null, isChained })
  }

  #beginDefinition(): void {
    const context = 'define clause'
    const outer = this.#template
    outer.tokens.actionStart = null
    this.#template = this.#newTemplate()
    const { position, name } = this.#templateName(context)
    this.#template.tokens.expect('right-delimiter', context)
    this.#blocks.push({ kind: 'define', position, name, list: this.#beginList(), outer, call: null })
  }

  #beginBlock(): void {
    const context = 'block clause'
    const outer = this.#template
    const { position, name } = this.#templateName(context)
    const pipe = outer.pipelines.pipeline(context, 'right-delimiter')
    const call: TemplateNode = { kind: 'template', position, name, pipe }
    this.#template = this.#newTemplate()
    this.#blocks.push({ kind: 'block', position, name, list: this.#beginList(), outer, call })
  }

  #newTemplate(): OpenTemplate {
    const tokens = new TokenReader(this.#text)
    return { tokens, pipelines: new PipelineParser(tokens, this.#text.options), loops: 0 }
  }

  #beginList(): ListNode {
    const { tokens } = this.#template
    tokens.enter()
    this.#list = newList(tokens.peekNonSpace().position)
    return this.#list
  }

  #else(): void {
    const { tokens } = this.#template
    const next = tokens.peekNonSpace()
    const isChain = next.kind === 'if' || next.kind === 'with'
    const { position } = isChain ? next : tokens.expect('right-delimiter', 'else')
    const block = this.#branchOf(this.#endList('else'))
    if (block.elseList !== null) tokens.fail('expected end; found {{else}}')
    if (block.kind === 'range') this.#template.loops--
    if (block.kind === 'range' || tokens.peek().kind !== block.kind) {
      block.elseList = this.#beginList()
      return
    }
    tokens.next()
    tokens.enter()
    block.elseList = newList(position)
    this.#list = block.elseList
    this.#beginBranch(block.kind, true)
  }

  /**
   * Others have no `{{else}}`. The mistake is reported by the template around a block, whose position is the end of the
   * block's header.
   */
  #branchOf(block: OpenBlock): OpenBranch {
    if (!isDefinition(block)) return block
    const { tokens } = block.kind === 'block' ? block.outer : this.#template
    return tokens.fail(`unexpected {{else}} in ${block.kind} clause`)
  }

  #end(): void {
    this.#template.tokens.expect('right-delimiter', 'end')
    const block = this.#endList('end')
    this.#blocks.pop()
    if (isDefinition(block)) this.#endDefinition(block)
    else this.#endBranch(block)
  }

  /** The block whose list is over. */
  #endList(end: 'end' | 'else'): OpenBlock {
    const { tokens } = this.#template
    const block = this.#blocks.at(-1)
    tokens.actionStart = null
    if (block === undefined) return tokens.fail(`unexpected {{${end}}}`)
    tokens.leave()
    return block
  }

  #endDefinition({ name, list, outer, call }: OpenDefinition): void {
    this.#define(name, list)
    this.#template = outer
    this.#list = this.#presentList()
    if (call !== null) this.#add(call)
  }

  #endBranch(last: OpenBranch): void {
    if (last.kind === 'range' && last.elseList === null) this.#template.loops--
    for (let block = last; ; ) {
      const { kind, position, pipe, list, elseList, scope, isChained } = block
      this.#template.pipelines.leaveScope(scope)
      this.#list = this.#presentList()
      this.#list.nodes.push({ kind, position, pipe, list, elseList })
      const outer = isChained ? this.#blocks.pop() : undefined
      if (outer === undefined || isDefinition(outer)) return
      this.#template.tokens.leave()
      block = outer
    }
  }

  /** Of the innermost block that is open. */
  #presentList(): ListNode {
    const block = this.#blocks.at(-1)
    if (block === undefined) return this.#root
    return isDefinition(block) ? block.list : (block.elseList ?? block.list)
  }

  /** Go's rule of redefinition: only an empty template is replaced. */
  #define(name: string, list: ListNode): void {
    const previous = this.#templates.get(name)
    if (previous === undefined || isEmptyList(previous)) this.#templates.set(name, list)
    else if (!isEmptyList(list)) {
      this.#template.tokens.fail(`template: multiple definition of template ${quote(name)}`)
    }
  }

  /** Which block has no end, and where it begins. */
  #unclosed(): object {
    const { source, options } = this.#text
    const last = this.#blocks.at(-1)
    if (last === undefined) return {}
    const start = source.lastIndexOf(options.delimiters[0] || '{{', last.position)
    const { line, column } = positionAt(source, Math.max(0, start))
    return { hint: `{{${last.kind} …}} of line ${line} has no {{end}}`, opened: { line, column } }
  }
}

function isDefinition(block: OpenBlock): block is OpenDefinition {
  return block.kind === 'define' || block.kind === 'block'
}

function newList(position: number): ListNode {
  return { kind: 'list', position, nodes: [] }
}
