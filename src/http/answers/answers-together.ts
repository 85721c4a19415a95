import type { ServerResponse } from 'node:http'

interface Answer {
  readonly response: ServerResponse
  readonly text: string
  readonly encoding: Encoding
}

type Encoding = 'utf8' | 'latin1'

/** Maximum number of answers that wait to be written together. Without it, the first of a flood would wait for the last. */
const MAX_AT_ONCE = 32

/** Answers of the current turn of the event loop. */
let waiting: Answer[] = []

/**
 * Ends a response whose head is written, together with all others of this turn of the event loop: right after the
 * turn's last request was read, or when they are many. A turn brings many requests under load, and a reader that gets one
 * answer at a time falls asleep between them; waking it each time costs more than writing.
 */
export function endTogether(response: ServerResponse, text: string, encoding: Encoding = 'utf8'): void {
  const count = waiting.push({ response, text, encoding })
  if (count === 1) setImmediate(writeTogether)
  else if (count === MAX_AT_ONCE) writeTogether()
}

/** Writes what waits to be written, before the turn continues with something that takes long. */
export function writeTogether(): void {
  if (waiting.length === 0) return
  const answers = waiting
  waiting = []
  for (const { response, text, encoding } of answers) response.write(text, encoding)
  // Node corks the socket until here. Ended in the same tick, an answer would be written as two pieces.
  process.nextTick(endAll, answers)
}

function endAll(answers: readonly Answer[]): void {
  for (const { response } of answers) response.end()
}
