/** What a server's refusal means for anybody who runs the service, by its first word. */
const REFUSALS: ReadonlyMap<string, string> = new Map([
  [
    'NOAUTH',
    'Redis asks for a password: put it into the url, redis://:password@host or redis://user:password@host',
  ],
  ['WRONGPASS', 'Redis does not accept the user and password of the url'],
  ['NOPERM', 'the user of the url may not read the documents in Redis'],
])

/** Why Redis refuses what is asked of it, in words that say what to do; undefined when it is something else. */
export function explainRefusal(message: string): string | undefined {
  const [word = ''] = message.split(' ', 1)
  const meaning = REFUSALS.get(word)
  return meaning === undefined ? undefined : `${meaning} (${message})`
}
