import type { ContentPart, Message } from '../conversation/message.js'

/** The layers of a system prompt in their order; those that say nothing are left out. */
export function joinLayers(...layers: readonly (string | undefined)[]): string | undefined {
  const said = layers.filter((layer) => layer !== undefined && layer.trim() !== '')
  return said.length === 0 ? undefined : said.join('\n\n')
}

/**
 * What the user says, with the one reminder that is needed when another agent gave the last answer: without it models
 * go on in the other's role.
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
