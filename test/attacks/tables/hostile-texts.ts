const LONG = 3_900_000
/** About the longest text that a function reads. */
const READ = 2_000_000
const inLoop = (action: string) => `{{range 1000000}}{{$x := ${action}}}{{end}}`

/** Requests that bring a long text of their own, and work on it without an end. */
export const HOSTILE_TEXTS: readonly (() => object)[] = [
  ...['contains "aaaaaaaaab"', 'split ","', 'upper', 'replace "a" "b"', 'trim'].map((call) => () => ({
    prompt: { userPrompt: inLoop(`${call} $.variables.text`) },
    variables: { text: 'a'.repeat(READ), rest: 'a'.repeat(LONG - READ) },
  })),
  () => ({
    prompt: { userPrompt: inLoop('lower $.variables.text') },
    variables: { text: 'Ä'.repeat(LONG / 2) },
  }),
]
