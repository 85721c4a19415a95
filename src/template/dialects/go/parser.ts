import { at } from '../../../util/at.js'
import { errorMessage } from '../../../util/errors/error-message.js'
import type { Numbers } from '../../api.js'
import {
  type ChainNode,
  type CommandNode,
  isEmptyList,
  type ListItem,
  type ListNode,
  type Operand,
  type PipeNode,
  type TemplateNode,
  type VariableNode,
} from '../../ast.js'
import { quote } from '../../format/quote.js'
import { MAX_OPERANDS } from '../../limits.js'
import { positionAt } from '../../position.js'
import type { Program } from '../../program.js'
import { type ErrorPlace, syntaxError, syntaxLimit } from '../../syntax-error.js'
import { countLines, describeToken, Lexer, type Token, type TokenKind } from './lexer.js'
import { parseCharacter, parseComplex, parseNumber } from './number.js'
import { printNode } from './printer.js'
import { ADAPTIVE_RULES, GO_RULES } from './rules.js'
import { unquote } from './unquote.js'

export interface ParserOptions {
  /** Go's template name, shown in messages. */
  readonly name: string
  readonly delimiters: readonly [left: string, right: string]
  /** Whether a function is defined. */
  readonly hasFunction: (name: string) => boolean
  /** Names for a message about an unknown function. */
  readonly suggestFunctions?: (name: string) => readonly string[]
  /** The entry of the data that has the variables, for hints. */
  readonly variablesIn?: string | undefined
  /** Nesting of actions and parentheses. */
  readonly maxParseDepth: number
  /** How whole numbers meet floats, where a dialect leaves that open. */
  readonly numbers: Numbers
}

/**
 * Parses the text of a Go template.
 *
 * @throws TemplateError with Go's message
 */
export function parseGo(source: string, options: ParserOptions): Program {
  const [left, right] = options.delimiters
  const lexer = new Lexer(source, left || '{{', right || '}}', options.hasFunction)
  const text: Text = { source, options, lexer, templates: new Map(), depth: 0, operands: 0, open: [] }
  const list = new TreeParser(text, options.name).parse()
  const root = text.templates.get(options.name) ?? list
  const rules = options.numbers === 'adaptive' ? ADAPTIVE_RULES : GO_RULES
  return { name: options.name, source, rules, root, templates: text.templates }
}

/** What the trees of one text share. */
interface Text {
  readonly source: string
  readonly options: ParserOptions
  readonly lexer: Lexer
  readonly templates: Map<string, ListNode>
  depth: number
  /** Operands of the action that is being read. */
  operands: number
  /** The blocks that wait for their end, the outermost first. */
  readonly open: OpenBlock[]
}

/** `{{if …}}` and its like: what it is, and where its action begins. */
interface OpenBlock {
  readonly kind: string
  readonly position: number
}

/** What ends a list: not part of the tree. */
type ListEnd =
  | { readonly kind: 'end'; readonly position: number }
  | { readonly kind: 'else'; readonly position: number }

type Context =
  | 'command'
  | 'if'
  | 'range'
  | 'with'
  | 'parenthesized pipeline'
  | 'block clause'
  | 'template clause'

const NO_TOKEN: Token = { kind: 'error', position: 0, text: '' }
const OPERAND_STARTS: ReadonlySet<TokenKind> = new Set<TokenKind>([
  'bool',
  'char-constant',
  'complex',
  'dot',
  'field',
  'identifier',
  'number',
  'nil',
  'raw-string',
  'string',
  'variable',
  'left-parenthesis',
])

/** Parses one template of a text: the main one, or a definition. */
class TreeParser {
  readonly #text: Text
  #name: string
  /** Go's three tokens of look-ahead; the line of the first is in every message. */
  readonly #tokens: [Token, Token, Token] = [NO_TOKEN, NO_TOKEN, NO_TOKEN]
  #peekCount = 0
  readonly #variables: string[] = ['$']
  #actionStart: Token | null = null
  #rangeDepth = 0

  constructor(text: Text, name: string) {
    this.#text = text
    this.#name = name
  }

  /** The main template, with the definitions between its actions. */
  parse(): ListNode {
    const root = newList(this.#peek().position)
    while (this.#peek().kind !== 'eof') {
      if (this.#peek().kind === 'left-delimiter') {
        const delimiter = this.#next()
        if (this.#nextNonSpace().kind === 'define') {
          new TreeParser(this.#text, 'definition').#parseDefinition()
          continue
        }
        this.#backup2(delimiter)
      }
      const node = this.#textOrAction()
      if (node.kind === 'end' || node.kind === 'else') return this.#fail(`unexpected {{${node.kind}}}`)
      root.nodes.push(node)
    }
    this.#add(root)
    // The text may define a template of its own name, which is kept if the rest is empty.
    return this.#text.templates.get(this.#name) ?? root
  }

  #parseDefinition(): void {
    const context = 'define clause'
    const token = this.#nextNonSpace()
    if (token.kind !== 'string' && token.kind !== 'raw-string') this.#unexpected(token, context)
    this.#name = this.#unquote(token)
    this.#expect('right-delimiter', context)
    this.#text.open.push({ kind: 'define', position: token.position })
    this.#parseBody(context, this)
    this.#text.open.pop()
  }

  /** A wrong end is reported by the tree around a block, whose position is the end of its header. */
  #parseBody(context: string, reporter: TreeParser): void {
    const [list, end] = this.#itemList()
    if (end.kind !== 'end') reporter.#fail(`unexpected {{${end.kind}}} in ${context}`)
    this.#add(list)
  }

  /** Go's rule of redefinition: only an empty template is replaced. */
  #add(list: ListNode): void {
    const { templates } = this.#text
    const previous = templates.get(this.#name)
    if (previous === undefined || isEmptyList(previous)) templates.set(this.#name, list)
    else if (!isEmptyList(list)) {
      this.#fail(`template: multiple definition of template ${quote(this.#name)}`)
    }
  }

  #itemList(): [ListNode, ListEnd] {
    this.#enter()
    const list = newList(this.#peekNonSpace().position)
    while (this.#peekNonSpace().kind !== 'eof') {
      const node = this.#textOrAction()
      if (node.kind === 'end' || node.kind === 'else') {
        this.#text.depth--
        return [list, node]
      }
      list.nodes.push(node)
    }
    return this.#fail('unexpected EOF', this.#unclosed())
  }

  #textOrAction(): ListItem | ListEnd {
    const token = this.#nextNonSpace()
    if (token.kind === 'text') return { kind: 'text', position: token.position, text: token.text }
    if (token.kind !== 'left-delimiter') return this.#unexpected(token, 'input')
    this.#actionStart = token
    this.#text.operands = 0
    const node = this.#action()
    this.#actionStart = null
    return node
  }

  #action(): ListItem | ListEnd {
    const token = this.#nextNonSpace()
    switch (token.kind) {
      case 'block':
        return this.#block()
      case 'break':
      case 'continue':
        return this.#loopControl(token.kind, token)
      case 'else':
        return this.#else()
      case 'end':
        return { kind: 'end', position: this.#expect('right-delimiter', 'end').position }
      case 'if':
      case 'range':
      case 'with':
        return this.#branch(token.kind)
      case 'template':
        return this.#template()
    }
    this.#backup()
    const { position } = this.#peek()
    return { kind: 'action', position, pipe: this.#pipeline('command', 'right-delimiter') }
  }

  #loopControl(kind: 'break' | 'continue', token: Token): ListItem {
    const next = this.#nextNonSpace()
    if (next.kind !== 'right-delimiter') this.#unexpected(next, `{{${kind}}}`)
    if (this.#rangeDepth === 0) this.#fail(`{{${kind}}} outside {{range}}`)
    return { kind, position: token.position }
  }

  #else(): ListEnd {
    const token = this.#peekNonSpace()
    if (token.kind === 'if' || token.kind === 'with') return { kind: 'else', position: token.position }
    return { kind: 'else', position: this.#expect('right-delimiter', 'else').position }
  }

  #branch(kind: 'if' | 'range' | 'with'): ListItem {
    const mark = this.#variables.length
    const pipe = this.#pipeline(kind, 'right-delimiter')
    if (kind === 'range') this.#rangeDepth++
    this.#text.open.push({ kind, position: pipe.position })
    const [list, end] = this.#itemList()
    if (kind === 'range') this.#rangeDepth--
    const elseList = end.kind === 'else' ? this.#elseList(kind, end) : null
    this.#text.open.pop()
    while (this.#variables.length > mark) this.#variables.pop()
    return { kind, position: pipe.position, pipe, list, elseList }
  }

  /** `{{else}}…{{end}}`, or the rest of a chain, whose one `{{end}}` ends all of it. */
  #elseList(kind: 'if' | 'range' | 'with', end: ListEnd): ListNode {
    if (kind !== 'range' && this.#peek().kind === kind) {
      this.#next()
      this.#enter()
      const list = newList(end.position)
      list.nodes.push(this.#branch(kind))
      this.#text.depth--
      return list
    }
    const [list, next] = this.#itemList()
    if (next.kind !== 'end') this.#fail(`expected end; found {{${next.kind}}}`)
    return list
  }

  #block(): TemplateNode {
    const context = 'block clause'
    const token = this.#nextNonSpace()
    const name = this.#templateName(token, context)
    const pipe = this.#pipeline(context, 'right-delimiter')
    this.#text.open.push({ kind: 'block', position: token.position })
    new TreeParser(this.#text, name).#parseBody(context, this)
    this.#text.open.pop()
    return { kind: 'template', position: token.position, name, pipe }
  }

  #template(): TemplateNode {
    const context = 'template clause'
    const token = this.#nextNonSpace()
    const name = this.#templateName(token, context)
    if (this.#nextNonSpace().kind === 'right-delimiter') {
      return { kind: 'template', position: token.position, name, pipe: null }
    }
    this.#backup()
    const pipe = this.#pipeline(context, 'right-delimiter')
    return { kind: 'template', position: token.position, name, pipe }
  }

  #templateName(token: Token, context: string): string {
    if (token.kind !== 'string' && token.kind !== 'raw-string') this.#unexpected(token, context)
    return this.#unquote(token)
  }

  #pipeline(context: Context, end: TokenKind): PipeNode {
    this.#enter()
    const pipe: PipeNode = {
      kind: 'pipe',
      position: this.#peekNonSpace().position,
      declarations: [],
      isAssign: false,
      commands: [],
    }
    while (this.#declaration(pipe, context)) {
      // Each call reads one variable.
    }
    for (;;) {
      const token = this.#nextNonSpace()
      if (token.kind === end) break
      if (!OPERAND_STARTS.has(token.kind)) this.#unexpected(token, context)
      this.#backup()
      pipe.commands.push(this.#command())
      this.#checkDepth(pipe.commands.length)
    }
    pipe.commands = pipe.commands.slice()
    this.#checkPipeline(pipe, context)
    this.#text.depth--
    return pipe
  }

  /** Reads one declared variable; true if a second one must follow. */
  #declaration(pipe: PipeNode, context: Context): boolean {
    const variable = this.#peekNonSpace()
    if (variable.kind !== 'variable') return false
    this.#next()
    const after = this.#peek()
    const next = this.#peekNonSpace()
    if (next.kind === 'assign' || next.kind === 'declare') {
      pipe.isAssign = next.kind === 'assign'
      this.#nextNonSpace()
      this.#declare(pipe, variable)
    } else if (next.kind === 'char' && next.text === ',') {
      this.#nextNonSpace()
      this.#declare(pipe, variable)
      return this.#secondVariableFollows(pipe, context)
    } else if (after.kind === 'space') this.#backup3(variable, after)
    else this.#backup2(variable)
    return false
  }

  #declare(pipe: PipeNode, token: Token): void {
    pipe.declarations.push(newVariable(token.position, token.text))
    this.#variables.push(token.text)
  }

  #secondVariableFollows(pipe: PipeNode, context: Context): boolean {
    if (context !== 'range' || pipe.declarations.length >= 2) {
      this.#fail(`too many declarations in ${context}`)
    }
    const { kind } = this.#peekNonSpace()
    if (kind === 'variable' || kind === 'right-delimiter' || kind === 'right-parenthesis') return true
    return this.#fail('range can only initialize variables')
  }

  #checkPipeline(pipe: PipeNode, context: Context): void {
    if (pipe.commands.length === 0) this.#fail(`missing value for ${context}`)
    for (let i = 1; i < pipe.commands.length; i++) {
      switch (pipe.commands[i]?.operands[0].kind) {
        case 'bool':
        case 'dot':
        case 'nil':
        case 'number':
        case 'string':
          this.#fail(`non executable command in pipeline stage ${i + 1}`)
      }
    }
  }

  #command(): CommandNode {
    const { position } = this.#peekNonSpace()
    const operands = this.#operands()
    return isFilled(operands) ? { kind: 'command', position, operands } : this.#fail('empty command')
  }

  /** The operands of a command, and the bar after them. */
  #operands(): readonly Operand[] {
    const operands: Operand[] = []
    for (;;) {
      this.#peekNonSpace()
      const operand = this.#operand()
      if (operand !== null) operands.push(this.#counted(operand))
      const token = this.#next()
      if (token.kind === 'space') continue
      if (token.kind === 'right-delimiter' || token.kind === 'right-parenthesis') this.#backup()
      else if (token.kind !== 'pipe') this.#unexpected(token, 'operand')
      // Without the room that a list keeps for more: compiled prompts are kept by the thousand.
      return operands.slice()
    }
  }

  /** Counts an operand of the current action. */
  #counted(operand: Operand): Operand {
    if (++this.#text.operands > MAX_OPERANDS) {
      throw syntaxLimit('source', `more than ${MAX_OPERANDS} operands in one action`, this.#place())
    }
    return operand
  }

  /** A term with its field accesses; null if there is no term. */
  #operand(): Operand | null {
    const term = this.#term()
    if (term === null || this.#peek().kind !== 'field') return term
    const { position } = this.#peek()
    const path: string[] = []
    while (this.#peek().kind === 'field') this.#checkDepth(path.push(this.#next().text.slice(1)))
    switch (term.kind) {
      case 'field':
        return { kind: 'field', position, path: term.path.concat(path) }
      case 'variable':
        return { kind: 'variable', position, name: term.name, path: term.path.concat(path) }
      case 'bool':
      case 'string':
      case 'number':
      case 'nil':
      case 'dot':
        return this.#fail(`unexpected . after term ${quote(printNode(term))}`)
      default:
        return { kind: 'chain', position, operand: term, path } satisfies ChainNode
    }
  }

  #term(): Operand | null {
    const token = this.#nextNonSpace()
    const { position, text } = token
    switch (token.kind) {
      case 'identifier':
        return this.#identifier(token)
      case 'dot':
        return { kind: 'dot', position }
      case 'nil':
        return { kind: 'nil', position }
      case 'variable':
        return this.#useVariable(token)
      case 'field':
        return { kind: 'field', position, path: [text.slice(1)] }
      case 'bool':
        return { kind: 'bool', position, value: text === 'true' }
      case 'char-constant':
        return { kind: 'number', position, ...this.#attempt(() => parseCharacter(text)) }
      case 'complex':
        return { kind: 'number', position, ...this.#attempt(() => parseComplex(text)) }
      case 'number':
        return { kind: 'number', position, ...this.#attempt(() => parseNumber(text)) }
      case 'left-parenthesis':
        return this.#pipeline('parenthesized pipeline', 'right-parenthesis')
      case 'string':
      case 'raw-string':
        return { kind: 'string', position, quoted: text, text: this.#unquote(token) }
    }
    this.#backup()
    return null
  }

  #identifier(token: Token): Operand {
    const { hasFunction, suggestFunctions } = this.#text.options
    if (!hasFunction(token.text)) {
      const suggestions = suggestFunctions?.(token.text) ?? []
      this.#fail(`function ${quote(token.text)} not defined`, { suggestions })
    }
    return { kind: 'identifier', position: token.position, name: token.text }
  }

  #useVariable(token: Token): VariableNode {
    if (!this.#variables.includes(token.text)) this.#fail(`undefined variable ${quote(token.text)}`)
    return newVariable(token.position, token.text)
  }

  #unquote(token: Token): string {
    return this.#attempt(() => unquote(token.text))
  }

  #attempt<T>(read: () => T): T {
    try {
      return read()
    } catch (error) {
      return this.#fail(errorMessage(error))
    }
  }

  #next(): Token {
    if (this.#peekCount > 0) this.#peekCount--
    else this.#tokens[0] = this.#text.lexer.next()
    return at(this.#tokens, this.#peekCount)
  }

  #backup(): void {
    this.#peekCount++
  }

  #backup2(token: Token): void {
    this.#tokens[1] = token
    this.#peekCount = 2
  }

  #backup3(second: Token, first: Token): void {
    this.#tokens[1] = first
    this.#tokens[2] = second
    this.#peekCount = 3
  }

  #peek(): Token {
    if (this.#peekCount > 0) return at(this.#tokens, this.#peekCount - 1)
    this.#peekCount = 1
    this.#tokens[0] = this.#text.lexer.next()
    return this.#tokens[0]
  }

  #nextNonSpace(): Token {
    let token = this.#next()
    while (token.kind === 'space') token = this.#next()
    return token
  }

  #peekNonSpace(): Token {
    const token = this.#nextNonSpace()
    this.#backup()
    return token
  }

  #expect(kind: TokenKind, context: string): Token {
    const token = this.#nextNonSpace()
    return token.kind === kind ? token : this.#unexpected(token, context)
  }

  #enter(): void {
    this.#checkDepth(++this.#text.depth)
  }

  #checkDepth(depth: number): void {
    const { options } = this.#text
    if (depth > options.maxParseDepth) {
      throw syntaxLimit('depth', `actions nested deeper than ${options.maxParseDepth}`, this.#place())
    }
  }

  #unexpected(token: Token, context: string): never {
    if (token.kind !== 'error') return this.#fail(`unexpected ${describeToken(token)} in ${context}`)
    return this.#fail(token.text + this.#startOfAction(token))
  }

  /** Where the action began, if that is on another line. */
  #startOfAction(token: Token): string {
    if (this.#actionStart === null) return ''
    const line = this.#lineOf(this.#actionStart)
    if (line === this.#lineOf(token)) return ''
    const words = token.text.endsWith(' action') ? ' started at' : ' in action started at'
    return `${words} ${this.#text.options.name}:${line}`
  }

  /** Which block has no end, and where it begins. */
  #unclosed(): object {
    const { source, options, open } = this.#text
    const last = open.at(-1)
    if (last === undefined) return {}
    const start = source.lastIndexOf(options.delimiters[0] || '{{', last.position)
    const { line, column } = positionAt(source, Math.max(0, start))
    return { hint: `{{${last.kind} …}} of line ${line} has no {{end}}`, opened: { line, column } }
  }

  #fail(message: string, details: object = {}): never {
    throw syntaxError(message, this.#place(), details)
  }

  #place(): ErrorPlace {
    const [token] = this.#tokens
    const { source, options } = this.#text
    const { name, variablesIn } = options
    return { source, name, line: this.#lineOf(token), offset: token.position, variablesIn }
  }

  /** Go's line of a token, in which line breaks inside comments do not count. */
  #lineOf(token: Token): number {
    return 1 + countLines(this.#text.source, 0, token.position)
  }
}

function newList(position: number): ListNode {
  return { kind: 'list', position, nodes: [] }
}

function newVariable(position: number, name: string): VariableNode {
  return { kind: 'variable', position, name, path: [] }
}

function isFilled(operands: readonly Operand[]): operands is CommandNode['operands'] {
  return operands.length > 0
}
