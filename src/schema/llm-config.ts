import Type, { type Static } from 'typebox'

const milliseconds = (description: string) => Type.Optional(Type.Integer({ minimum: 1, description }))
const count = (description: string) => Type.Optional(Type.Integer({ minimum: 1, description }))
const strict = { additionalProperties: false }

/** One language model server, as the configuration file names it. */
export const UpstreamConfig = Type.Object(
  {
    baseUrl: Type.String({
      pattern: '^https?://',
      description: 'Up to and including the version, such as `https://api.openai.com/v1`',
    }),
    apiKeyFile: Type.Optional(Type.String({ description: 'File that holds the key' })),
    apiKeyEnv: Type.Optional(Type.String({ description: 'Environment variable that holds the key' })),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: 'Sent with every request' }),
    ),
    models: Type.Optional(
      Type.Array(Type.String(), { description: 'Models it serves; `gpt-*` is a prefix' }),
    ),
    responses: Type.Optional(
      Type.Boolean({
        description: 'Whether it has OpenAI’s responses interface; else it is mapped onto chat',
      }),
    ),
    maxConcurrent: count('Requests in flight'),
    maxQueue: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'Requests that may wait for a place; more are refused with 503',
      }),
    ),
    queueTimeoutMs: milliseconds('How long one may wait'),
    maxAnswerBytes: count('Largest answer, or single event of a stream'),
    timeouts: Type.Optional(
      Type.Object(
        {
          connectMs: milliseconds('Until connected'),
          firstByteMs: milliseconds('Until the answer begins'),
          idleMs: milliseconds('Between two parts of the answer, or two events of a stream'),
          totalMs: milliseconds('For a whole answer that is not streamed'),
          streamTotalMs: milliseconds('For a whole stream'),
        },
        strict,
      ),
    ),
  },
  strict,
)
export type UpstreamConfig = Static<typeof UpstreamConfig>

const price = (description: string) => Type.Optional(Type.Number({ minimum: 0, description }))

/** What a model costs, in any currency, per million tokens. */
export const Price = Type.Object(
  {
    input: price('Per million input tokens'),
    output: price('Per million output tokens'),
    cachedInput: price('Per million input tokens from the cache; default: as `input`'),
  },
  strict,
)
export type Price = Static<typeof Price>

/** The `llm` part of the configuration file. */
export const LlmConfig = Type.Object(
  {
    upstreams: Type.Optional(Type.Record(Type.String({ pattern: '^[A-Za-z0-9_.-]+$' }), UpstreamConfig)),
    defaultUpstream: Type.Optional(Type.String({ description: 'Serves models that no upstream claims' })),
    defaultModel: Type.Optional(Type.String({ description: 'When neither request nor prompt names one' })),
    aliases: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: 'Name → model or upstream/model' }),
    ),
    fallbacks: Type.Optional(
      Type.Record(Type.String(), Type.Array(Type.String()), {
        description: 'Model → models to try when it fails',
      }),
    ),
    prices: Type.Optional(Type.Record(Type.String(), Price)),
    retryAfterCapMs: milliseconds('Longest wait an upstream may ask for'),
  },
  strict,
)
export type LlmConfig = Static<typeof LlmConfig>
