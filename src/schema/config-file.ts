import Type, { type Static } from 'typebox'

/** A secret by reference: the environment variable or the file that holds it. Never the value itself. */
export const SecretReference = Type.Union([
  Type.Object({ env: Type.String({ minLength: 1 }) }, { additionalProperties: false }),
  Type.Object({ file: Type.String({ minLength: 1 }) }, { additionalProperties: false }),
])
export type SecretReference = Static<typeof SecretReference>

const hosts = Type.Optional(
  Type.Array(Type.String({ minLength: 1 }), {
    description: 'The only hosts (`host` or `host:port`) it is sent to',
  }),
)

/** A secret that headers of tools may name. */
export const ToolSecret = Type.Union([
  Type.Object({ env: Type.String({ minLength: 1 }), hosts }, { additionalProperties: false }),
  Type.Object({ file: Type.String({ minLength: 1 }), hosts }, { additionalProperties: false }),
])
export type ToolSecret = Static<typeof ToolSecret>

const Url = Type.String({ pattern: '^https?://' })
const Names = Type.Record(Type.String(), Type.String())
const milliseconds = () => Type.Optional(Type.Integer({ minimum: 1, maximum: 3_600_000 }))

/** One OpenAI-compatible endpoint. Limits of time are per attempt. */
export const Upstream = Type.Object(
  {
    baseUrl: Url,
    apiKey: Type.Optional(SecretReference),
    headers: Type.Optional(Names),
    responses: Type.Optional(
      Type.Boolean({ description: 'It has `/responses`; otherwise those requests are mapped onto chat' }),
    ),
    streamUsage: Type.Optional(
      Type.Boolean({ description: 'Ask for the tokens of every stream, so that they are counted' }),
    ),
    maxConcurrent: Type.Optional(Type.Integer({ minimum: 1, description: 'Requests in flight' })),
    maxQueue: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Requests that may wait; more are refused with 503' }),
    ),
    queueTimeoutMs: milliseconds(),
    maxAnswerBytes: Type.Optional(
      Type.Integer({ minimum: 1024, description: 'Largest answer, and largest event of a stream' }),
    ),
    connectTimeoutMs: milliseconds(),
    firstByteTimeoutMs: milliseconds(),
    idleTimeoutMs: milliseconds(),
    totalTimeoutMs: milliseconds(),
    streamTimeoutMs: milliseconds(),
  },
  { additionalProperties: false },
)
export type Upstream = Static<typeof Upstream>

/** Which upstream answers a model name; `match` may end in `*`. First match wins. */
export const ModelRoute = Type.Object(
  {
    match: Type.String({ minLength: 1 }),
    upstream: Type.String({ minLength: 1 }),
    model: Type.Optional(Type.String({ minLength: 1, description: 'Name sent upstream when it differs' })),
    fallbacks: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), { description: 'Model names, in order' }),
    ),
  },
  { additionalProperties: false },
)
export type ModelRoute = Static<typeof ModelRoute>

/** An MCP server: over HTTP by `url`, or over stdio by `command`. */
export const McpServer = Type.Object(
  {
    url: Type.Optional(Url),
    headers: Type.Optional(Names),
    command: Type.Optional(Type.String({ minLength: 1 })),
    args: Type.Optional(Type.Array(Type.String())),
    env: Type.Optional(Names),
    cwd: Type.Optional(Type.String()),
    mount: Type.Optional(Type.Boolean({ description: 'Offer all its tools as `mcp_<server>_<tool>`' })),
  },
  { additionalProperties: false },
)
export type McpServer = Static<typeof McpServer>

const file = (description: string) => Type.Optional(Type.String({ minLength: 1, description }))

/** TLS of `grpcs:` tools. */
export const GrpcTls = Type.Object(
  {
    rootCertificatesFile: file('PEM; default is the authorities of the system'),
    clientCertificateFile: file('PEM'),
    clientKeyFile: file('PEM'),
  },
  { additionalProperties: false },
)
export type GrpcTls = Static<typeof GrpcTls>

/** The price of a model, in any one currency, per million tokens. */
export const Price = Type.Object(
  {
    input: Type.Number({ minimum: 0 }),
    output: Type.Number({ minimum: 0 }),
    cachedInput: Type.Optional(Type.Number({ minimum: 0 })),
  },
  { additionalProperties: false },
)
export type Price = Static<typeof Price>

/** `CONFIG_FILE`: what does not fit into environment variables. Every section is optional. */
export const ConfigFile = Type.Object(
  {
    upstreams: Type.Record(Type.String(), Upstream, { default: {} }),
    models: Type.Array(ModelRoute, { default: [] }),
    prices: Type.Record(Type.String(), Price, { default: {} }),
    toolBaseUrls: Type.Record(Type.String(), Url, { default: {} }),
    mcpServers: Type.Record(Type.String(), McpServer, { default: {} }),
    protoFiles: Type.Array(Type.String({ minLength: 1 }), {
      default: [],
      description: '`.proto` files for gRPC servers without reflection',
    }),
    protoDirectories: Type.Array(Type.String({ minLength: 1 }), {
      default: [],
      description: 'Where imports of `protoFiles` are found',
    }),
    grpcTls: Type.Optional(GrpcTls),
    secrets: Type.Record(Type.String(), ToolSecret, {
      default: {},
      description: 'What headers of tools may name, as in `Bearer \u0024{secret:NAME}`',
    }),
  },
  { additionalProperties: false },
)
export type ConfigFile = Static<typeof ConfigFile>
