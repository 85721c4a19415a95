import type { Part, ProtocolId } from '../../protocols/protocol.js'
import { clipped } from '../../util/text/clipped.js'

/** How much of a malformed call the note repeats. */
const MAX_QUOTED = 300

/**
 * The note that asks for a message again whose tags were no call, with the exact errors; undefined if there is nothing to
 * ask for: without malformed parts, or beside a whole call, which runs. It is sent with the next request and never stored.
 *
 * @param parts Of the whole message.
 */
export function formatNote(parts: readonly Part[], protocol: ProtocolId): string | undefined {
  if (protocol === 'native' || parts.some(({ kind }) => kind === 'call')) return undefined
  const problems = malformedNotes(parts)
  if (problems.length === 0) return undefined
  return [
    'Your last message was not accepted: it has the tags of a call, but no call that can be read.',
    ...problems,
    'Write the message again. To call a tool, use exactly the form of the instructions, outside of code blocks; to answer, use none of its tags.',
  ].join('\n')
}

/** One line for every malformed call: for the note, or, beside a whole call, for the results. */
export function malformedNotes(parts: readonly Part[]): string[] {
  return parts
    .filter((part) => part.kind === 'malformed')
    .map(({ reason, raw }) => `- ${reason}: ${quote(raw)}`)
}

function quote(raw: string): string {
  return JSON.stringify(clipped(raw, MAX_QUOTED))
}
