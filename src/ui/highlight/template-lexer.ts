/** What a stretch of a template is. */
export type TokenKind =
  | 'text'
  | 'delimiter'
  | 'keyword'
  | 'string'
  | 'number'
  | 'variable'
  | 'field'
  | 'name'
  | 'operator'
  | 'comment'

/** Where the lexer is at the beginning of a line. */
export type LexState = 'text' | 'action' | 'comment' | 'bang' | 'raw'

export interface Token {
  readonly kind: TokenKind
  /** Behind its last character. */
  readonly end: number
  readonly state: LexState
}

const OPEN = /\{\{/g
const ENDS: Readonly<Record<'comment' | 'bang' | 'raw', RegExp>> = {
  comment: /\*\//g,
  bang: /\}\}/g,
  raw: /`/g,
}
const KEYWORDS =
  /^(?:if|else|end|range|with|define|block|template|break|continue|each|raw|unless|nil|true|false)$/
/** The tokens inside an action, in the order that they are looked for. */
const INSIDE: readonly (readonly [kind: TokenKind, form: RegExp])[] = [
  ['delimiter', /-?\}\}/y],
  ['string', /"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?/y],
  ['number', /[-+]?\d[\w.]*/y],
  ['variable', /\$[\p{L}\p{N}_]*/uy],
  ['field', /(?:\.[\p{L}\p{N}_]+)+|\./uy],
  ['name', /[\p{L}_][\p{L}\p{N}_.]*/uy],
  ['operator', /[|:=,()#/>!-]+/y],
]

/** The next token of a line, for both dialects: tolerant, never failing, and always of at least one character. */
export function nextToken(line: string, start: number, state: LexState): Token {
  switch (state) {
    case 'text':
      return inText(line, start)
    case 'action':
      return inAction(line, start)
    case 'comment':
      return until(line, start, ENDS.comment, 'comment', 'action')
    case 'bang':
      return line.startsWith('}}', start)
        ? { kind: 'delimiter', end: start + 2, state: 'text' }
        : { kind: 'comment', end: placeOf(ENDS.bang, line, start), state: 'bang' }
    case 'raw':
      return until(line, start, ENDS.raw, 'string', 'action')
  }
}

function inText(line: string, start: number): Token {
  const open = placeOf(OPEN, line, start)
  if (open > start) return { kind: 'text', end: open, state: 'text' }
  const end = line.startsWith('{{-', start) ? start + 3 : start + 2
  return line[end] === '!'
    ? { kind: 'delimiter', end, state: 'bang' }
    : { kind: 'delimiter', end, state: 'action' }
}

function inAction(line: string, start: number): Token {
  if (line.startsWith('/*', start))
    return until(line, start + 2, ENDS.comment, 'comment', 'action', 'comment')
  if (line[start] === '`') return until(line, start + 1, ENDS.raw, 'string', 'action', 'raw')
  for (const [kind, form] of INSIDE) {
    form.lastIndex = start
    const found = form.exec(line)?.[0]
    if (found === undefined || found === '') continue
    const end = start + found.length
    if (kind === 'delimiter') return { kind, end, state: 'text' }
    return { kind: kind === 'name' && KEYWORDS.test(found) ? 'keyword' : kind, end, state: 'action' }
  }
  return { kind: 'text', end: start + 1, state: 'action' }
}

/** To the end of what began, which may be on a later line. */
function until(
  line: string,
  start: number,
  end: RegExp,
  kind: TokenKind,
  after: LexState,
  inside: LexState = kind === 'comment' ? 'comment' : 'raw',
): Token {
  const place = placeOf(end, line, start)
  if (place === line.length) return { kind, end: place, state: inside }
  return { kind, end: place + (end === ENDS.raw ? 1 : 2), state: after }
}

function placeOf(form: RegExp, line: string, start: number): number {
  form.lastIndex = start
  return form.exec(line)?.index ?? line.length
}
