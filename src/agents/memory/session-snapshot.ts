const OPEN = '<session-context>'
const CLOSE = '</session-context>'

/**
 * The text of a session's memory, keys sorted, one entry a line: values can forge neither a line nor the end of the
 * block. The same entries are the same bytes, so that providers' prompt caches hold. Empty for no entries.
 */
export function formatSnapshot(entries: readonly (readonly [key: string, value: string])[]): string {
  if (entries.length === 0) return ''
  const lines = [...entries]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, value]) => `${escapeLine(key)}: ${escapeLine(value)}`)
  return `${OPEN}\n${lines.join('\n')}\n${CLOSE}`
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\u2028', '\\u2028'],
  ['\u2029', '\\u2029'],
  ['<', '&lt;'],
])

function escapeLine(text: string): string {
  return text.replace(/[\\\n\r\u2028\u2029<]/g, (character) => ESCAPES.get(character) ?? character)
}
