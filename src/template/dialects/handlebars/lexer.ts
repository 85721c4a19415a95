/** A stretch of literal text, or the inside of one `{{…}}`. Offsets are UTF-16 indices into the source. */
export type HandlebarsToken =
  | { readonly kind: 'text'; readonly text: string; readonly offset: number }
  | { readonly kind: 'tag'; readonly content: string; readonly offset: number }

/** The source does not follow the grammar at this offset. */
export class HandlebarsSyntaxError extends Error {
  readonly offset: number

  constructor(message: string, offset: number) {
    super(message)
    this.offset = offset
  }
}

const RAW_TAG = /^#\s*raw$/
const RAW_CLOSE = /\{\{\s*\/\s*raw\s*\}\}/g

/**
 * Reads the text before the next tag and the tag, and returns where that ends; the end of the source without one. Text is
 * exact: no line is swallowed. `\{{` is a literal `{{` and `\\{{` a backslash before a tag, as in Handlebars; of a longer
 * run of braces the innermost two open the tag, so `{{{x}}}` is a value in braces; the inside of `{{#raw}}` is text.
 *
 * @param tokens where they are added
 * @throws HandlebarsSyntaxError on a tag or raw block that does not end
 */
export function readTag(source: string, position: number, tokens: HandlebarsToken[]): number {
  const braces = source.indexOf('{{', position)
  if (braces === -1) {
    addText(tokens, source.slice(position), position)
    return source.length
  }
  const backslashes = countBackslashes(source, position, braces)
  if (backslashes === 1) {
    addText(tokens, `${source.slice(position, braces - 1)}{{`, position)
    return braces + 2
  }
  const open = lastOpening(source, braces)
  const text = source.slice(position, open)
  addText(tokens, backslashes === 2 ? dropAt(text, braces - position - 1) : text, position)
  const close = closingOf(source, open)
  const content = source.slice(open + 2, close).trim()
  if (!RAW_TAG.test(content)) {
    tokens.push({ kind: 'tag', content, offset: open })
    return close + 2
  }
  const end = endOfRaw(source, close + 2, open)
  addText(tokens, source.slice(close + 2, end.start), close + 2)
  return end.stop
}

function addText(tokens: HandlebarsToken[], text: string, offset: number): void {
  if (text !== '') tokens.push({ kind: 'text', text, offset })
}

/** How many backslashes directly precede the braces: none, one, or (two and more) two. */
function countBackslashes(source: string, from: number, braces: number): 0 | 1 | 2 {
  if (braces - 1 < from || source[braces - 1] !== '\\') return 0
  return braces - 2 >= from && source[braces - 2] === '\\' ? 2 : 1
}

function dropAt(text: string, index: number): string {
  return text.slice(0, index) + text.slice(index + 1)
}

function lastOpening(source: string, braces: number): number {
  let end = braces + 2
  while (source[end] === '{') end++
  return end - 2
}

function closingOf(source: string, open: number): number {
  const close = source.indexOf('}}', open + 2)
  const another = source.indexOf('{{', open + 2)
  if (close === -1 || (another !== -1 && another < close)) {
    throw new HandlebarsSyntaxError('unclosed tag: "{{" without "}}" (write "\\{{" for literal braces)', open)
  }
  return close
}

function endOfRaw(source: string, from: number, open: number): { start: number; stop: number } {
  RAW_CLOSE.lastIndex = from
  const match = RAW_CLOSE.exec(source)
  if (match === null) throw new HandlebarsSyntaxError('unclosed block {{#raw}}: no {{/raw}} follows', open)
  return { start: match.index, stop: match.index + match[0].length }
}
