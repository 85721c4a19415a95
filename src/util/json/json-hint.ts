/** What to write instead of a text that is not JSON. @param message what the reader said of it */
export function jsonHint(text: string, message: string): string | undefined {
  if (/^\s*(?:---|#|[A-Za-z_][\w-]*:(?:\s|$))/.test(text))
    return 'this is YAML: documents in Redis and files named .json are JSON'
  if (text.startsWith('\ufeff')) return 'save it without a byte order mark'
  const [, found, wanted = ''] = /^Unexpected "(\\?.)", expected (.*?)(?: at line|$)/.exec(message) ?? []
  if (found === '/' || found === '#') return 'JSON has no comments'
  if (found === "'" || found === '“' || found === '‘') return 'JSON takes straight double quotes'
  if ((found === '}' || found === ']') && /value|name/.test(wanted)) return 'remove the comma before it'
  if (found !== undefined && /name/.test(wanted)) return 'names are in double quotes'
  if (/^Malformed string/.test(message))
    return String.raw`write \n for a line break, and \" and \\ in strings`
  if (/^(?:Unexpected end|Unterminated)/.test(message)) return 'something that was opened is not closed'
  return undefined
}
