/** A block of a Markdown text. */
export type Block =
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'rule' }
  | { readonly kind: 'quote'; readonly blocks: readonly Block[] }
  | {
      readonly kind: 'list'
      /** The number of its first item; a list of points has none. */
      readonly start: number | undefined
      readonly items: readonly (readonly Block[])[]
    }
  | { readonly kind: 'table'; readonly rows: readonly (readonly string[])[] }

const FENCE = /^\s*(`{3,}|~{3,})/
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*$/
const THEMATIC_BREAK = /^ {0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$/
const ITEM = /^(\s*)(?:[-*+]|(\d{1,9})[.)])(\s+|$)(.*)$/
const QUOTE = /^ {0,3}> ?/
const ROW = /^\s*\|(.*)\|\s*$/
const RULE_OF_TABLE = /^\s*\|[\s:|-]+\|\s*$/

/** The blocks of a text. Anything else is a paragraph. */
export function blocksOf(text: string): readonly Block[] {
  return blocksIn(text.split('\n'))
}

/** A block, and the line after it. */
interface Found {
  readonly block?: Block
  readonly next: number
}

function blocksIn(lines: readonly string[]): readonly Block[] {
  const blocks: Block[] = []
  for (let at = 0; at < lines.length; ) {
    const { block, next } = blockAt(lines, at)
    if (block !== undefined) blocks.push(block)
    at = next
  }
  return blocks
}

function blockAt(lines: readonly string[], at: number): Found {
  const line = lines[at] ?? ''
  if (line.trim() === '') return { next: at + 1 }
  if (FENCE.test(line)) return codeAt(lines, at)
  if (THEMATIC_BREAK.test(line)) return { block: { kind: 'rule' }, next: at + 1 }
  const [, marks, title = ''] = HEADING.exec(line) ?? []
  if (marks !== undefined)
    return { block: { kind: 'heading', level: marks.length, text: title }, next: at + 1 }
  if (ROW.test(line)) return tableAt(lines, at)
  if (QUOTE.test(line)) return quoteAt(lines, at)
  if (ITEM.test(line)) return listAt(lines, at)
  const next = endOf(lines, at + 1, (each) => each.trim() !== '' && !opensBlock(each))
  return { block: { kind: 'paragraph', text: lines.slice(at, next).join('\n') }, next }
}

/** What ends a paragraph without a blank line. */
function opensBlock(line: string): boolean {
  return [FENCE, HEADING, ITEM, QUOTE, ROW, THEMATIC_BREAK].some((form) => form.test(line))
}

/** The first line from here that is not part of the block. */
function endOf(lines: readonly string[], at: number, isPart: (line: string) => boolean): number {
  let end = at
  while (end < lines.length && isPart(lines[end] ?? '')) end += 1
  return end
}

/** To a fence of the same kind that is at least as long; an answer that is cut has none. */
function codeAt(lines: readonly string[], at: number): Found {
  const fence = FENCE.exec(lines[at] ?? '')?.[1] ?? ''
  const end = endOf(lines, at + 1, (each) => {
    const other = FENCE.exec(each)?.[1] ?? ''
    return !(other.startsWith(fence) && each.trim() === other)
  })
  return { block: { kind: 'code', text: lines.slice(at + 1, end).join('\n') }, next: end + 1 }
}

function tableAt(lines: readonly string[], at: number): Found {
  const next = endOf(lines, at, (each) => ROW.test(each))
  const rows = lines.slice(at, next).filter((each) => !RULE_OF_TABLE.test(each))
  return { block: { kind: 'table', rows: rows.map(cellsOf) }, next }
}

function cellsOf(line: string): readonly string[] {
  return (ROW.exec(line)?.[1] ?? '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll(String.raw`\|`, '|'))
}

function quoteAt(lines: readonly string[], at: number): Found {
  const next = endOf(lines, at, (each) => QUOTE.test(each))
  const inside = lines.slice(at, next).map((each) => each.replace(QUOTE, ''))
  return { block: { kind: 'quote', blocks: blocksIn(inside) }, next }
}

/** Items of one indentation; what is indented further belongs to the item above it. */
function listAt(lines: readonly string[], at: number): Found {
  const [, indent = '', number] = ITEM.exec(lines[at] ?? '') ?? []
  const isItem = (line: string) => {
    const found = ITEM.exec(line)
    return (
      found !== null &&
      (found[1] ?? '').length <= indent.length &&
      (found[2] === undefined) === (number === undefined)
    )
  }
  const items: string[][] = []
  let next = at
  for (; next < lines.length; next += 1) {
    const line = lines[next] ?? ''
    if (isItem(line)) items.push([line.replace(ITEM, '$4')])
    else if (isInside(lines, next, indent.length)) items.at(-1)?.push(withoutIndent(line, indent.length + 2))
    else break
  }
  const start = number === undefined ? undefined : Number(number)
  return { block: { kind: 'list', start, items: items.map(blocksIn) }, next }
}

/** A line that is further in than the list, one that continues a sentence, or a blank one before such a line. */
function isInside(lines: readonly string[], at: number, indent: number): boolean {
  const line = lines[at] ?? ''
  if (line.trim() !== '')
    return indentOf(line) > indent || ((lines[at - 1] ?? '').trim() !== '' && !opensBlock(line))
  const next = lines[endOf(lines, at, (each) => each.trim() === '')] ?? ''
  return indentOf(next) > indent || (ITEM.test(next) && indentOf(next) === indent)
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}

function withoutIndent(line: string, width: number): string {
  return line.slice(Math.min(width, indentOf(line)))
}
