import { closedObject } from './any-object.js'
import { optional } from './optional.js'
import { type Static, Type } from './type.js'
import { LABEL_PATTERN } from './version.js'

/** What a key may be allowed to do, each on its own: none of them contains another. */
export const SCOPES = ['read', 'render', 'inline', 'chat', 'agents', 'tasks', 'tools', 'admin'] as const

/** One thing that a key may be allowed to do. */
export type KeyScope = (typeof SCOPES)[number]

/** How many requests in which time: `600/m`. */
export const RATE_PATTERN = '^[1-9]\\d{0,8}/[smh]$'

const Hash = Type.String({
  pattern: '^sha256:[0-9a-f]{64}$',
  description: 'Hash of the key, as `ai-prompt-shell key` prints it',
})

/** One key of `KEYS_FILE`: who holds it, and what its holder may do. */
export const KeyDocument = closedObject({
  name: Type.String({
    pattern: '^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$',
    description: 'Name of its holder: shown in logs and metrics, and the owner of sessions and tasks',
  }),
  hash: Type.Union([Hash, Type.Array(Hash, { minItems: 1, maxItems: 4 })], {
    description: 'Hash of the key, or of up to four keys while one replaces another',
  }),
  scopes: Type.Array(Type.Enum([...SCOPES]), {
    minItems: 1,
    uniqueItems: true,
    description: 'What it may do',
  }),
  prompts: Type.Optional(
    Type.Array(Type.String({ pattern: '^[^*@]{0,200}\\*?[^*@]{0,200}$', minLength: 1 }), {
      minItems: 1,
      maxItems: 64,
      description: 'Ids of the only prompts it may use; one `*` in an id matches any text',
    }),
  ),
  labels: Type.Optional(
    Type.Array(Type.String({ pattern: `^${LABEL_PATTERN}$` }), {
      minItems: 1,
      maxItems: 64,
      uniqueItems: true,
      description: 'The only labels it may use, such as `production`; the first is its default',
    }),
  ),
  rate: optional.text('Rate limit in place of `RATE_LIMIT`, such as `600/m`', { pattern: RATE_PATTERN }),
  expires: optional.text('When it expires, in UTC: `2027-01-31` or `2027-01-31T18:00Z`', {
    pattern: '^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,3})?)?Z)?$',
  }),
  note: optional.text('Human-readable; not used by the service', { maxLength: 1_000 }),
})
export type KeyDocument = Static<typeof KeyDocument>

/** The file `KEYS_FILE`. */
export const KeysFile = closedObject({ keys: Type.Array(KeyDocument, { maxItems: 10_000 }) })
export type KeysFile = Static<typeof KeysFile>
