import { looseObject } from './any-object.js'
import { DiagnosticShape } from './diagnostic.js'
import { SCOPES } from './keys-file.js'
import { optional } from './optional.js'
import { Type } from './type.js'

const nullable = <Schema extends object>(schema: Schema, description: string) =>
  Type.Union([schema, Type.Null()], { description })

/** Answer of `GET /api/me`. */
export const MeAnswer = Type.Object(
  {
    name: nullable(Type.String(), 'Of the key in `KEYS_FILE`; null without a name'),
    scopes: Type.Array(Type.Enum([...SCOPES]), { description: 'What it may do' }),
    prompts: nullable(Type.Array(Type.String()), 'Patterns of the only prompts it may use; null for all'),
    rate: nullable(Type.String(), 'Its own limit, such as `600/m`; null for the service’s'),
    expires_at: nullable(Type.String(), 'When it expires; null for never'),
  },
  { title: 'Me', description: 'What the key of the request may do' },
)

/** Answer of `GET /api/status`: what every service says; further sections depend on what it serves with. */
export const StatusAnswer = looseObject(
  {
    status: Type.Enum(['not_ready', 'degraded', 'ready'], { description: 'Of the worst process' }),
    version: Type.String({ description: 'Of the service' }),
    store: looseObject(
      {
        kind: Type.String({ description: 'Such as `directory` or `redis`' }),
        location: optional.text('The folder, or the server without its password'),
      },
      { description: 'Where the catalog is from' },
    ),
    diagnostics: Type.Array(DiagnosticShape, { description: 'Errors first, at most 500' }),
    diagnostics_total: Type.Object(
      {
        errors: Type.Integer({ description: 'How many' }),
        warnings: Type.Integer({ description: 'How many' }),
      },
      { description: 'How many there are' },
    ),
  },
  { title: 'Status', description: 'What is loaded, and what is wrong with it' },
)
