import type { ContentPart, Message } from '../conversation/message.js'

const OPEN = '<session-context>'
const CLOSE = '</session-context>'
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\u2028', '\\u2028'],
  ['\u2029', '\\u2029'],
  ['<', '&lt;'],
])

/** The layers of a system prompt in their order; those that say nothing are left out. */
export function joinLayers(...layers: readonly (string | undefined)[]): string | undefined {
  const said = layers.filter((layer) => layer !== undefined && layer.trim() !== '')
  return said.length === 0 ? undefined : said.join('\n\n')
}

/**
 * What the user says, with the one reminder that is needed when another agent gave the last answer: without it models
 * continue in the other agent's role.
 *
 * @param answeredBy who gave the last answer; undefined when nobody has
 */
export function userMessage(
  input: string | readonly ContentPart[],
  agent: string,
  answeredBy: string | undefined,
): Message {
  if (answeredBy === undefined || answeredBy === agent) return { role: 'user', content: input }
  const parts: readonly ContentPart[] = typeof input === 'string' ? [{ type: 'text', text: input }] : input
  return { role: 'user', content: [...parts, { type: 'text', text: switchReminder(answeredBy, agent) }] }
}

function switchReminder(from: string, to: string): string {
  return (
    `<system-reminder>You are now the agent "${to}". The answers so far were given by "${from}": ` +
    'follow your own instructions and use your own tools only.</system-reminder>'
  )
}

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

function escapeLine(text: string): string {
  return text.replace(/[\\\n\r\u2028\u2029<]/g, (character) => ESCAPES.get(character) ?? character)
}
