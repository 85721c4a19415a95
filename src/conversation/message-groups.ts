import type { Message } from './message.js'

/** The parts of a conversation that only make sense together: an assistant's message with calls and the results that follow. */
export function toGroups(messages: readonly Message[]): Message[][] {
  const groups: Message[][] = []
  for (const message of messages) {
    const last = groups.at(-1)
    if (message.role === 'tool' && last !== undefined) last.push(message)
    else groups.push([message])
  }
  return groups
}
