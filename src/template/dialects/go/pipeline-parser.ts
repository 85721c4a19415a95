import type { ChainNode, CommandNode, Operand, PipeNode, VariableNode } from '../../ast.js'
import { quote } from '../../format/quote.js'
import { fieldName } from './field-name.js'
import type { Token, TokenKind } from './lexer.js'
import { parseCharacter, parseComplex, parseNumber } from './number.js'
import { printNode } from './printer.js'
import type { ParserOptions, TokenReader } from './token-reader.js'

/** Where a pipeline is, in the words of Go's messages. */
type Context =
  | 'command'
  | 'if'
  | 'range'
  | 'with'
  | 'parenthesized pipeline'
  | 'block clause'
  | 'template clause'

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

/** Parses the inside of the actions of one template: `$x := .a | printf "%d" (len .b)`. */
export class PipelineParser {
  readonly #tokens: TokenReader
  readonly #options: ParserOptions
  readonly #variables: string[] = ['$']

  constructor(tokens: TokenReader, options: ParserOptions) {
    this.#tokens = tokens
    this.#options = options
  }

  /** How many variables there are. */
  get scope(): number {
    return this.#variables.length
  }

  /** Forgets the variables that were declared since the scope was this. */
  leaveScope(scope: number): void {
    while (this.#variables.length > scope) this.#variables.pop()
  }

  /** Reads a pipeline and the token that ends it. @throws TemplateError */
  pipeline(context: Context, end: TokenKind): PipeNode {
    const tokens = this.#tokens
    tokens.enter()
    const pipe: PipeNode = {
      kind: 'pipe',
      position: tokens.peekNonSpace().position,
      declarations: [],
      isAssign: false,
      commands: [],
    }
    while (this.#declaration(pipe, context)) {
      // Each call reads one variable.
    }
    for (;;) {
      const token = tokens.nextNonSpace()
      if (token.kind === end) break
      if (!OPERAND_STARTS.has(token.kind)) tokens.unexpected(token, context)
      tokens.backup()
      pipe.commands = withItem(pipe.commands, this.#command())
      tokens.checkDepth(pipe.commands.length)
    }
    pipe.commands = trimmed(pipe.commands)
    this.#checkPipeline(pipe, context)
    tokens.leave()
    return pipe
  }

  /** Reads one declared variable; true if a second one must follow. */
  #declaration(pipe: PipeNode, context: Context): boolean {
    const tokens = this.#tokens
    const variable = tokens.peekNonSpace()
    if (variable.kind !== 'variable') return false
    tokens.next()
    const after = tokens.peek()
    const next = tokens.peekNonSpace()
    if (next.kind === 'assign' || next.kind === 'declare') {
      pipe.isAssign = next.kind === 'assign'
      tokens.nextNonSpace()
      this.#declare(pipe, variable)
    } else if (next.kind === 'char' && next.text === ',') {
      tokens.nextNonSpace()
      this.#declare(pipe, variable)
      return this.#secondVariableFollows(pipe, context)
    } else if (after.kind === 'space') tokens.backup3(variable, after)
    else tokens.backup2(variable)
    return false
  }

  #declare(pipe: PipeNode, token: Token): void {
    pipe.declarations.push(newVariable(token.position, token.text))
    this.#variables.push(token.text)
  }

  #secondVariableFollows(pipe: PipeNode, context: Context): boolean {
    if (context !== 'range' || pipe.declarations.length >= 2) {
      this.#tokens.fail(`too many declarations in ${context}`)
    }
    const { kind } = this.#tokens.peekNonSpace()
    if (kind === 'variable' || kind === 'right-delimiter' || kind === 'right-parenthesis') return true
    return this.#tokens.fail('range can only initialize variables')
  }

  #checkPipeline(pipe: PipeNode, context: Context): void {
    if (pipe.commands.length === 0) this.#tokens.fail(`missing value for ${context}`)
    for (let i = 1; i < pipe.commands.length; i++) {
      switch (pipe.commands[i]?.operands[0].kind) {
        case 'bool':
        case 'dot':
        case 'nil':
        case 'number':
        case 'string':
          this.#tokens.fail(`non executable command in pipeline stage ${i + 1}`)
      }
    }
  }

  #command(): CommandNode {
    const { position } = this.#tokens.peekNonSpace()
    const operands = this.#operands()
    return isFilled(operands) ? { kind: 'command', position, operands } : this.#tokens.fail('empty command')
  }

  /** The operands of a command, and the bar after them. */
  #operands(): readonly Operand[] {
    const tokens = this.#tokens
    let operands: Operand[] = []
    for (;;) {
      tokens.peekNonSpace()
      const operand = this.#operand()
      if (operand !== null) {
        tokens.countOperand()
        operands = withItem(operands, operand)
      }
      const token = tokens.next()
      if (token.kind === 'space') continue
      if (token.kind === 'right-delimiter' || token.kind === 'right-parenthesis') tokens.backup()
      else if (token.kind !== 'pipe') tokens.unexpected(token, 'operand')
      return trimmed(operands)
    }
  }

  /** A term with its field accesses; null if there is no term. */
  #operand(): Operand | null {
    const tokens = this.#tokens
    const term = this.#term()
    if (term === null || tokens.peek().kind !== 'field') return term
    const { position } = tokens.peek()
    const path: string[] = []
    while (tokens.peek().kind === 'field') tokens.checkDepth(path.push(fieldName(tokens.next())))
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
        return tokens.fail(`unexpected . after term ${quote(printNode(term))}`)
      default:
        return { kind: 'chain', position, operand: term, path } satisfies ChainNode
    }
  }

  #term(): Operand | null {
    const tokens = this.#tokens
    const token = tokens.nextNonSpace()
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
        return { kind: 'field', position, path: [fieldName(token)] }
      case 'bool':
        return { kind: 'bool', position, value: text === 'true' }
      case 'char-constant':
        return { kind: 'number', position, ...tokens.attempt(() => parseCharacter(text)) }
      case 'complex':
        return { kind: 'number', position, ...tokens.attempt(() => parseComplex(text)) }
      case 'number':
        return { kind: 'number', position, ...tokens.attempt(() => parseNumber(text)) }
      case 'left-parenthesis':
        return this.pipeline('parenthesized pipeline', 'right-parenthesis')
      case 'string':
      case 'raw-string':
        return { kind: 'string', position, quoted: text, text: tokens.unquote(token) }
    }
    tokens.backup()
    return null
  }

  #identifier(token: Token): Operand {
    const { hasFunction, suggestFunctions } = this.#options
    if (!hasFunction(token.text)) {
      const suggestions = suggestFunctions?.(token.text) ?? []
      this.#tokens.fail(`function ${quote(token.text)} not defined`, { suggestions })
    }
    return { kind: 'identifier', position: token.position, name: token.text }
  }

  #useVariable(token: Token): VariableNode {
    if (!this.#variables.includes(token.text)) this.#tokens.fail(`undefined variable ${quote(token.text)}`)
    return newVariable(token.position, token.text)
  }
}

/** Most pipelines have one command, and most commands one operand: their lists never have room for more. */
function withItem<Item>(list: Item[], item: Item): Item[] {
  if (list.length === 0) return [item]
  list.push(item)
  return list
}

/** Without the room that a list keeps for more: compiled prompts are kept by the thousand. */
function trimmed<Item>(list: Item[]): Item[] {
  return list.length > 1 ? list.slice() : list
}

function newVariable(position: number, name: string): VariableNode {
  return { kind: 'variable', position, name, path: [] }
}

function isFilled(operands: readonly Operand[]): operands is CommandNode['operands'] {
  return operands.length > 0
}
