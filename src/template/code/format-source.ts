const INDENT = '  '
/** Words, texts and operators: generated code has no comments, no regular expressions and only plain texts. */
const TOKEN = /[\w$]+|"[^"]*"|\?\.|===|!==|\?\?|&&|\|\||\+=|\+\+|--|\S/g
const LABEL = /^loop\d/
const WORD = /^[\w$"]/
const BINARY: ReadonlySet<string> = new Set('=== !== ?? && || += = < > ? : | +'.split(' '))
/** Words that are no names: what follows them stands apart. */
const KEYWORDS: ReadonlySet<string> = new Set(
  'catch const else for function if instanceof let return throw try typeof yield'.split(' '),
)
/** What stands around a whole expression. */
const BEGINNINGS: ReadonlySet<string> = new Set(['=', '(', '[', ','])
const ENDS: ReadonlySet<string> = new Set([';', ')', ']', ','])
/** What goes on in the line of the brace that ends a block. */
const GOES_ON: ReadonlySet<string> = new Set(['else', 'catch', ',', ']'])

/** Generated code in the lines, with the spaces and indents, that people read it by. */
export function formatSource(source: string): readonly string[] {
  const lines: string[] = []
  let [line, depth, parentheses, before] = ['', 0, 0, '']
  const endLine = () => {
    if (line !== '') lines.push(INDENT.repeat(depth) + line)
    line = ''
  }
  const tokens = withoutNeedlessParentheses(source.match(TOKEN) ?? [])
  for (const [index, token] of tokens.entries()) {
    if (token === '}') {
      endLine()
      depth--
    }
    line += line !== '' && isApart(before, token) ? ` ${token}` : token
    before = token
    parentheses += token === '(' ? 1 : token === ')' ? -1 : 0
    const endsStatement = token === ';' && parentheses === 0
    const endsBlock = token === '}' && !GOES_ON.has(tokens[index + 1] ?? '')
    if (token === '{' || endsStatement || endsBlock) endLine()
    if (token === '{') depth++
  }
  endLine()
  return lines
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
