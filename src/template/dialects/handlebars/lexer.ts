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
 * Splits a source into text and tags. Text is exact: no line is swallowed. `\{{` is a literal `{{` and `\\{{` a
 * backslash before a tag, as in Handlebars; of a longer run of braces the innermost two open the tag, so
 * `{{{x}}}` is a value in braces; the inside of `{{#raw}}` is text.
 *
 * @throws HandlebarsSyntaxError on a tag or raw block that does not end
 */
export function lexHandlebars(source: string): HandlebarsToken[] {
  const tokens: HandlebarsToken[] = []
  const addText = (text: string, offset: number) => {
    if (text !== '') tokens.push({ kind: 'text', text, offset })
  }
  let position = 0
  for (;;) {
    const braces = source.indexOf('{{', position)
    if (braces === -1) break
    const backslashes = countBackslashes(source, position, braces)
    if (backslashes === 1) {
      addText(`${source.slice(position, braces - 1)}{{`, position)
      position = braces + 2
      continue
    }
    const open = lastOpening(source, braces)
    const text = source.slice(position, open)
    addText(backslashes === 2 ? dropAt(text, braces - position - 1) : text, position)
    const close = closingOf(source, open)
    const content = source.slice(open + 2, close).trim()
    position = close + 2
    if (RAW_TAG.test(content)) {
      const end = endOfRaw(source, position, open)
      addText(source.slice(position, end.start), position)
      position = end.stop
    } else tokens.push({ kind: 'tag', content, offset: open })
  }
  addText(source.slice(position), position)
  return tokens
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
