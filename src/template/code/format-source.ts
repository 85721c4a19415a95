const INDENT = '  '
/** Longer lines are broken; their indent and the comments after them do not count. */
const WIDTH = 120
/** Words, texts and operators: generated code has no comments, no regular expressions and only plain texts. */
const TOKEN = /[\w$]+|"[^"]*"|\?\.|===|!==|\?\?|&&|\|\||\+=|\+\+|--|\S/g
const LABEL = /^loop\d/
const WORD = /^[\w$"]/
const BINARY: ReadonlySet<string> = new Set('=== !== ?? && || += = < > ? : | +'.split(' '))
/** Keywords: a blank follows them. */
const KEYWORDS: ReadonlySet<string> = new Set(
  'catch const else for function if instanceof let return throw try typeof yield'.split(' '),
)
/** Brackets around a whole expression. */
const BEGINNINGS: ReadonlySet<string> = new Set(['=', '(', '[', ','])
const ENDS: ReadonlySet<string> = new Set([';', ')', ']', ','])
/** What continues the line of the brace that ends a block. */
const CONTINUES: ReadonlySet<string> = new Set(['else', 'catch', ',', ']'])
const OPENING: ReadonlySet<string> = new Set(['(', '['])
const CLOSING: ReadonlySet<string> = new Set([')', ']'])
/** Brackets that hold fewer tokens stay in their line: an index, or the arguments of a short call. */
const FEWEST_TOKENS = 4

/** Where a long line is broken: at the operators that bind least of those outside of its brackets. */
interface Break {
  readonly operators: ReadonlySet<string>
  /** Whether the operator begins the next line; a comma ends its own. */
  readonly begins: boolean
}

const BREAKS: readonly Break[] = [
  { operators: new Set([',']), begins: false },
  { operators: new Set(['?', ':']), begins: true },
  { operators: new Set(['||']), begins: true },
  { operators: new Set(['&&']), begins: true },
]

/** A statement, or the part of it up to a brace, and how many blocks it is in. */
interface Line {
  readonly tokens: readonly string[]
  readonly depth: number
}

/** Generated code in the lines, with the spaces and indents, that people read it by. */
export function formatSource(source: string): readonly string[] {
  const tokens = withoutNeedlessParentheses(source.match(TOKEN) ?? [])
  return linesOf(tokens).flatMap(fitted)
}

function linesOf(tokens: readonly string[]): readonly Line[] {
  const lines: Line[] = []
  let line: string[] = []
  let [depth, parentheses] = [0, 0]
  const endLine = () => {
    if (line.length > 0) lines.push({ tokens: line, depth })
    line = []
  }
  for (const [index, token] of tokens.entries()) {
    if (token === '}') {
      endLine()
      depth--
    }
    line.push(token)
    parentheses += token === '(' ? 1 : token === ')' ? -1 : 0
    const endsStatement = token === ';' && parentheses === 0
    const endsBlock = token === '}' && !CONTINUES.has(tokens[index + 1] ?? '')
    if (token === '{' || endsStatement || endsBlock) endLine()
    if (token === '{') depth++
  }
  endLine()
  return lines
}

/** A line that fits the width: as it is, broken at its operators, or with what its longest brackets hold in lines of its own. */
function fitted({ tokens, depth }: Line): readonly string[] {
  const text = spaced(tokens)
  const whole = [INDENT.repeat(depth) + text]
  if (text.length <= WIDTH) return whole
  const [first, ...others] = brokenAtOperators(tokens)
  if (first !== undefined && others.length > 0) {
    // Members of a list are below each other, and the parts of the first line below it.
    const isList = first.at(-1) === ',' && first[0] !== 'let'
    const rest = others.map((piece) => ({ tokens: piece, depth: isList ? depth : depth + 1 }))
    return [{ tokens: first, depth }, ...rest].flatMap(fitted)
  }
  const [open, close] = longestBrackets(tokens)
  if (open === close) return whole
  return [
    { tokens: tokens.slice(0, open + 1), depth },
    { tokens: tokens.slice(open + 1, close), depth: depth + 1 },
    { tokens: tokens.slice(close), depth },
  ].flatMap(fitted)
}

/** A line's pieces: one for each operand, or as many members of a list as fit the width. */
function brokenAtOperators(tokens: readonly string[]): readonly (readonly string[])[] {
  for (const { operators, begins } of BREAKS) {
    const pieces = piecesBetween(tokens, operators, begins)
    if (pieces.length > 1) return begins ? pieces : filled(pieces)
  }
  return [tokens]
}

function piecesBetween(
  tokens: readonly string[],
  operators: ReadonlySet<string>,
  begins: boolean,
): readonly (readonly string[])[] {
  const pieces: string[][] = [[]]
  let depth = 0
  for (const token of tokens) {
    depth = depthAfter(depth, token)
    const isBreak = depth === 0 && operators.has(token)
    if (isBreak && begins) pieces.push([])
    pieces.at(-1)?.push(token)
    if (isBreak && !begins) pieces.push([])
  }
  return pieces.filter((piece) => piece.length > 0)
}

/** Puts neighbours together as long as they fit the width. */
function filled(pieces: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const lines: (readonly string[])[] = []
  for (const piece of pieces) {
    const longer = [...(lines.at(-1) ?? []), ...piece]
    if (lines.length > 0 && spaced(longer).length <= WIDTH) lines[lines.length - 1] = longer
    else lines.push(piece)
  }
  return lines
}

/** The indexes of the outermost brackets that hold the most; twice the same index where none hold enough. */
function longestBrackets(tokens: readonly string[]): readonly [open: number, close: number] {
  let longest: readonly [number, number] = [0, 0]
  let [depth, open] = [0, 0]
  for (const [index, token] of tokens.entries()) {
    if (depth === 0 && OPENING.has(token)) open = index
    const after = depthAfter(depth, token)
    const closes = after === 0 && depth === 1
    if (closes && index - open > Math.max(FEWEST_TOKENS, longest[1] - longest[0])) longest = [open, index]
    depth = after
  }
  return longest
}

/** How many brackets are open after a token; what a part of a line closes may have been opened before it. */
function depthAfter(depth: number, token: string): number {
  if (OPENING.has(token)) return depth + 1
  return CLOSING.has(token) ? Math.max(0, depth - 1) : depth
}

function spaced(tokens: readonly string[]): string {
  return tokens.reduce((line, token, index) => {
    const before = tokens[index - 1]
    return before !== undefined && isApart(before, token) ? `${line} ${token}` : line + token
  }, '')
}

/** Whether there is a space between two tokens of a line. */
function isApart(before: string, token: string): boolean {
  if (token === ':' && LABEL.test(before)) return false
  if (BINARY.has(token) || BINARY.has(before) || KEYWORDS.has(before)) return token !== ';'
  if (before === ',' || before === ';' || before === '}' || token === '{')
    return token !== ',' && token !== ']'
  return (before === ')' && WORD.test(token)) || (WORD.test(before) && WORD.test(token))
}

/** Leaves out parentheses around all of what is assigned, passed on or asked. */
function withoutNeedlessParentheses(tokens: readonly string[]): readonly string[] {
  const needless = new Set<number>()
  for (const [open, close] of parenthesesIn(tokens)) {
    const [before = '', after = ''] = [tokens[open - 1], tokens[close + 1]]
    if (BEGINNINGS.has(before) && ENDS.has(after)) needless.add(open).add(close)
  }
  return tokens.filter((_, index) => !needless.has(index))
}

/** The indexes of parentheses that belong together and hold one expression, not several. */
function parenthesesIn(tokens: readonly string[]): readonly (readonly [open: number, close: number])[] {
  const pairs: (readonly [number, number])[] = []
  const open: { readonly index: number; hasComma: boolean }[] = []
  for (const [index, token] of tokens.entries()) {
    const innermost = open.at(-1)
    if (token === '(' || token === '[') open.push({ index, hasComma: false })
    else if (token === ',' && innermost !== undefined) innermost.hasComma = true
    else if (token === ')' || token === ']') {
      open.pop()
      if (token === ')' && innermost?.hasComma === false) pairs.push([innermost.index, index])
    }
  }
  return pairs
}
