/** What models say that give up early. Compared without case, and with straight apostrophes. */
export const REFUSAL_KEYWORDS: readonly string[] = [
  'time constraint',
  "I'm sorry, but I can't",
  "I'm sorry, I cannot solve",
]

/** A message, as far as a refusal is concerned. */
export interface RefusalInput {
  readonly text: string
  /** It has a call. */
  readonly calls: boolean
  /** Whether it has an answer in a box: only asked where it refuses. */
  readonly isBoxed: () => boolean
}

/**
 * The note that asks for a message again that refuses; undefined if it does not, or if it does something all the same.
 *
 * @param keywords An empty list turns the guard off.
 */
export function refusalNote(
  { text, calls, isBoxed }: RefusalInput,
  keywords: readonly string[] = REFUSAL_KEYWORDS,
): string | undefined {
  if (calls) return undefined
  const plain = normalise(text)
  const found = keywords.find((keyword) => keyword !== '' && plain.includes(normalise(keyword)))
  if (found === undefined || isBoxed()) return undefined
  return `Your last message was not accepted: it gives up (${JSON.stringify(found)}). There is time, and you may use the tools. Continue the task.`
}

function normalise(text: string): string {
  return text.toLowerCase().replaceAll('’', "'")
}
