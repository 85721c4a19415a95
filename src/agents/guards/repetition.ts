/** This many characters at the end of an answer are looked for in the rest of it. */
const REPEATED_CHARACTERS = 50
/** An answer whose end stands in it more often than this repeats itself. */
const MAX_REPETITIONS = 5

/**
 * True if an answer got stuck: its last 50 characters stand in it more than five times, themselves counted, without
 * overlap. Characters are UTF-16 code units; white space at the end does not count.
 */
export function repeatsItself(text: string): boolean {
  const answer = text.trimEnd()
  if (answer.length <= REPEATED_CHARACTERS * MAX_REPETITIONS) return false
  const end = answer.slice(-REPEATED_CHARACTERS)
  let at = 0
  // From the front, which finds as many: backwards, the engine compares every character with nearly all of the end.
  for (let count = 1; count <= MAX_REPETITIONS; count += 1) {
    const found = answer.indexOf(end, at)
    if (found === -1) return false
    at = found + REPEATED_CHARACTERS
  }
  return answer.indexOf(end, at) !== -1
}

/** What asks for an answer again that got stuck. */
export const REPETITION_NOTE =
  'Your last message repeated itself over and over, and was not accepted. Answer again, and say everything once.'
