import { anyObject } from './any-object.js'
import { optional } from './optional.js'
import { type Static, Type } from './type.js'

/** A prompt that depends on another one. */
export const DependentPrompt = Type.Object(
  {
    id: Type.String({ description: 'Dotted id' }),
    direct: Type.Boolean({ description: 'False where only a prompt that it includes does' }),
  },
  { title: 'DependentPrompt', description: 'A prompt that depends on another one' },
)
export type DependentPrompt = Static<typeof DependentPrompt>

/** Answer of `GET /api/prompts/{id}/dependents`. */
export const DependentsAnswer = Type.Object(
  {
    id: Type.String({ description: 'What they depend on' }),
    prompts: Type.Array(DependentPrompt, { description: 'Prompts that include it, at any depth' }),
    agents: Type.Array(Type.String(), { description: 'Agents that open with it, or include it' }),
  },
  {
    title: 'DependentsAnswer',
    examples: [{ id: 'partials.tone', prompts: [{ id: 'hello.greeting', direct: true }], agents: [] }],
  },
)

/** Query of `GET /api/prompts/{id}/variables`. */
export const RecordedQuery = Type.Object({
  last: optional.integer('Sets, the newest first', { minimum: 1, maximum: 10_000, default: 1_000 }),
})
export type RecordedQuery = Static<typeof RecordedQuery> & { readonly last: number }

/** Answer of `GET /api/prompts/{id}/variables`. */
export const RecordedAnswer = Type.Object(
  {
    id: Type.String({ description: 'Of the prompt' }),
    enabled: Type.Boolean({ description: 'Whether `RECORD_VARIABLES` is on' }),
    sets: Type.Array(
      Type.Object({
        at: Type.String({ description: 'When it was rendered, ISO 8601' }),
        variables: anyObject({ description: 'Secrets of the schema are `***`' }),
        calls: Type.Optional(
          Type.Array(
            Type.Object({
              tool: Type.String({ description: 'Its function name' }),
              arguments: Type.Array(Type.Unknown(), { description: 'As the template wrote them' }),
              result: Type.Unknown({ description: 'What it answered' }),
            }),
            { description: 'What tools answered; none of a set with a secret' },
          ),
        ),
      }),
      { description: 'The newest first' },
    ),
  },
  {
    title: 'RecordedAnswer',
    examples: [
      {
        id: 'hello.greeting',
        enabled: true,
        sets: [{ at: '2026-11-02T09:00:00.000Z', variables: { name: 'Ada' } }],
      },
    ],
  },
)

/** Answer of `DELETE /api/prompts/{id}/variables`. */
export const ForgottenAnswer = Type.Object(
  {
    id: Type.String({ description: 'Of the prompt' }),
    removed: Type.Integer({ description: 'Sets that were there' }),
  },
  { title: 'ForgottenAnswer', examples: [{ id: 'hello.greeting', removed: 12 }] },
)
