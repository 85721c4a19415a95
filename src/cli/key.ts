import { randomBytes } from 'node:crypto'
import { hashOfKey } from '../access/key-ring.js'
import { parseKeys } from '../access/parse-keys.js'
import { SCOPES } from '../schema/keys-file.js'
import { nearNames } from '../util/errors/near-names.js'
import { commaList } from '../util/text/comma-list.js'
import { systemClock } from '../util/time/clock.js'
import { yamlText } from '../util/yaml/yaml-text.js'
import { type Command, EXIT, type OptionValues, UsageError } from './command.js'

/** What a key of ours begins with: scanners for secrets find it, and people know whose it is. */
const BEGINNING = 'aps_'
/** Of randomness: nobody guesses it, so that a plain digest of the key is enough. */
const KEY_BYTES = 32

/** `key`: makes a key, and its entry for the keys file. */
export const key: Command = {
  usage: ['key <name> --scopes <scopes> [options]'],
  about: `Creates a new API key. The entry for KEYS_FILE goes to standard output, to be appended to the file. The key itself goes
to standard error, once: it is not stored anywhere.`,
  options: {
    scopes: {
      type: 'string',
      value: '<scopes>',
      help: `what the key may do, comma-separated:\n${SCOPES.join(', ')}`,
    },
    prompts: {
      type: 'string',
      value: '<patterns>',
      help: 'ids of the only prompts it may use, comma-separated; one * matches any text',
    },
    rate: { type: 'string', value: '<limit>', help: 'its own limit, such as 600/m, instead of RATE_LIMIT' },
    expires: {
      type: 'string',
      value: '<date>',
      help: 'when it expires, in UTC: 2027-01-31 or 2027-01-31T18:00Z',
    },
  },
  examples: [
    'key ada --scopes read,render >> keys.yaml',
    "key ci --scopes render --prompts 'review.*' --expires 2027-01-31",
  ],
  positionals: [1, 1],
  async run([name = ''], values, { stdout, stderr }) {
    const scopes = scopesOf(values)
    assertAhead(values['expires'])
    const made = BEGINNING + randomBytes(KEY_BYTES).toString('base64url')
    const entry = {
      name,
      hash: hashOfKey(made),
      scopes,
      prompts: listOf(values, 'prompts'),
      rate: values['rate'],
      expires: values['expires'],
    }
    const text = yamlText([entry])
    assertGood(text)
    stdout(text)
    stderr(`The key, shown this once: ${made}\n`)
    return EXIT.ok
  },
}

/** @throws UsageError */
function scopesOf(values: OptionValues): readonly string[] {
  const scopes = listOf(values, 'scopes') ?? []
  const all = SCOPES.join(', ')
  if (scopes.length === 0) throw new UsageError(`missing --scopes: one or more of ${all}`)
  const unknown = scopes.find((scope) => !SCOPES.some((known) => known === scope))
  if (unknown === undefined) return scopes
  const [near] = nearNames(unknown, SCOPES)
  const hint = near === undefined ? `it is one of ${all}` : `did you mean "${near}"?`
  throw new UsageError(`--scopes: there is no scope "${unknown}", ${hint}`)
}

/** A key that has already expired is an error. An invalid date is reported with the entry's other errors. */
function assertAhead(expires: OptionValues[string]): void {
  if (typeof expires === 'string' && Date.parse(expires) < systemClock.now())
    throw new UsageError(`--expires ${expires} is in the past`)
}

function listOf(values: OptionValues, option: string): readonly string[] | undefined {
  const text = values[option]
  return typeof text === 'string' ? commaList(text) : undefined
}

/** The entry is held to the same rules as the file. @throws UsageError */
function assertGood(entry: string): void {
  const parsed = parseKeys('the entry', `keys:\n${entry}`)
  if (parsed.ok) return
  const problems = parsed.problems.map((problem) =>
    problem.replace('KEYS_FILE /keys/0/name', '<name>').replace('KEYS_FILE /keys/0/', '--'),
  )
  throw new UsageError(problems.join('; '))
}
