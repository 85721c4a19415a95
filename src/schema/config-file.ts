import { closedObject } from './any-object.js'
import { optional } from './optional.js'
import { PROTOCOL_IDS } from './protocol-id.js'
import { type Static, Type } from './type.js'
import { LABEL_PATTERN } from './version.js'

/** A secret by reference: the environment variable or the file that holds it. Never the value itself. */
export const SecretReference = Type.Union([
  closedObject({ env: Type.String({ minLength: 1 }) }),
  closedObject({ file: Type.String({ minLength: 1 }) }),
])
export type SecretReference = Static<typeof SecretReference>

const hosts = optional.texts('The only hosts (`host` or `host:port`) it is sent to', { minLength: 1 })

/** A secret that headers of tools may name. */
export const ToolSecret = Type.Union([
  closedObject({
    env: Type.String({ minLength: 1, description: 'The environment variable that holds it' }),
    hosts,
  }),
  closedObject({ file: Type.String({ minLength: 1, description: 'The file that holds it' }), hosts }),
])
export type ToolSecret = Static<typeof ToolSecret>

const Url = Type.String({ pattern: '^https?://' })
const url = (description: string) => Type.String({ pattern: '^https?://', description })
const headers = (description: string) =>
  Type.Optional(Type.Record(Type.String(), Type.String(), { description }))
const milliseconds = (description: string) =>
  optional.integer(description, { minimum: 1, maximum: 3_600_000 })

/** One OpenAI-compatible endpoint. Limits of time are per attempt. */
export const UpstreamEntry = closedObject({
  baseUrl: url('Such as `https://api.example.com/v1`'),
  apiKey: Type.Optional(
    Type.Union(SecretReference.anyOf, {
      description: 'Where its key is: `{ env: NAME }` or `{ file: PATH }`',
    }),
  ),
  headers: headers('Sent with every request'),
  responses: optional.flag('It has `/responses`; otherwise those requests are mapped onto chat'),
  template: optional.text(
    'For a server with `/completions` and no chat: the chat template that makes one prompt of a conversation, such as `mistral`, `ollama:<Modelfile>` or `jinja:<file>`',
    { minLength: 1 },
  ),
  streamUsage: Type.Optional(
    Type.Union([Type.Boolean(), Type.Literal('never')], {
      description:
        'Ask for the tokens of every stream, so that they are counted; `never` sends no `stream_options`, for a server that refuses the field',
    }),
  ),
  maxConcurrent: optional.integer('Requests in flight', { minimum: 1 }),
  maxQueue: optional.integer('Requests that may wait; more are refused with 503', { minimum: 0 }),
  queueTimeoutMs: milliseconds('Maximum time that a request may wait'),
  maxAnswerBytes: optional.integer(
    'Largest answer; one event of a stream may have this much, and at most 4 MiB',
    { minimum: 1024 },
  ),
  connectTimeoutMs: milliseconds(
    'Until a connection is made; default 5,000, or `LLM_TIMEOUT_MS` if that is less',
  ),
  firstByteTimeoutMs: milliseconds('Until the answer begins; default `LLM_TIMEOUT_MS`'),
  idleTimeoutMs: milliseconds('Between two pieces of an answer; default `LLM_TIMEOUT_MS`'),
  totalTimeoutMs: milliseconds('For a whole answer; default `LLM_TIMEOUT_MS`'),
  streamTimeoutMs: milliseconds('For a whole stream; default one hour'),
})
export type UpstreamEntry = Static<typeof UpstreamEntry>

/** What tapes do: replay what is there, record what is not, or record everything once more. */
export const TAPE_MODES = ['replay', 'record', 'refresh'] as const
export type TapeMode = (typeof TAPE_MODES)[number]

/** An upstream that answers from files, which another one recorded. */
export const Tapes = closedObject({
  replay: Type.String({ minLength: 1, description: 'The folder, with a file for each request' }),
  of: optional.text('The upstream that is recorded; default `default`', { minLength: 1 }),
  mode: Type.Optional(
    Type.Enum([...TAPE_MODES], {
      description:
        '`replay` (default): a request without a tape is 502 `tape_miss`; `record`: it is asked of the upstream and kept; `refresh`: each is',
    }),
  ),
  ignore: optional.texts('Members of requests to ignore when requests are compared, such as `user`', {
    minLength: 1,
  }),
  times: optional.flag('Keep the times of streamed events, and stream with them'),
})
export type Tapes = Static<typeof Tapes>

/** Which upstream answers a model name; `match` may end in `*`. First match wins. */
export const ModelRoute = closedObject({
  match: Type.String({ minLength: 1, description: 'A model name; may end in `*`' }),
  upstream: Type.String({
    minLength: 1,
    description: 'One of `upstreams`, or `default` for `LLM_BASE_URL`',
  }),
  model: optional.text('Name sent upstream when it differs', { minLength: 1 }),
  fallbacks: optional.texts('Model names, in order', { minLength: 1 }),
  rescue: Type.Optional(
    Type.Enum(['auto', ...PROTOCOL_IDS.filter((id) => id !== 'native')], {
      description:
        'Read tool calls that the server left in its answer: the family of the model, or `auto` for that of its name',
    }),
  ),
})
export type ModelRoute = Static<typeof ModelRoute>

/** An MCP server: over HTTP by `url`, or over stdio by `command`. */
export const McpServer = closedObject({
  url: Type.Optional(url('URL of its HTTP endpoint')),
  headers: headers('Sent to it; values may name secrets'),
  command: optional.text('The program to start, for stdio', { minLength: 1 }),
  args: optional.texts('Arguments of the program'),
  env: headers('Environment of the program, in addition to the few variables it needs to start'),
  cwd: optional.text('Where the program runs'),
  mount: optional.flag('Offer all its tools as `mcp_<server>_<tool>`'),
})
export type McpServer = Static<typeof McpServer>

const file = (description: string) => optional.text(description, { minLength: 1 })

/** TLS of `grpcs:` tools. */
export const GrpcTls = closedObject({
  rootCertificatesFile: file('PEM; default is the authorities of the system'),
  clientCertificateFile: file('PEM'),
  clientKeyFile: file('PEM'),
})
export type GrpcTls = Static<typeof GrpcTls>

/** The price of a model, in any one currency, per million tokens. */
export const Price = closedObject({
  input: Type.Number({ minimum: 0, description: 'Price per million input tokens' }),
  output: Type.Number({ minimum: 0, description: 'Price per million output tokens' }),
  cachedInput: optional.number("Price per million tokens read from the provider's cache; default `input`", {
    minimum: 0,
  }),
})
export type Price = Static<typeof Price>

/** Defaults of tasks. */
export const TaskDefaults = closedObject({
  maxReflectionRounds: optional.integer('Maximum number of rounds; default 5', { minimum: 1, maximum: 100 }),
  taskTimeoutSecs: optional.number('Longest time; default `TASK_TIMEOUT_MS`', {
    exclusiveMinimum: 0,
    maximum: 2_000_000,
  }),
  enableAutoReflection: optional.flag('Reflect and plan again after an evaluation; default true'),
  successThreshold: optional.number('Overall score from which a round is good enough; default 80', {
    minimum: 0,
    maximum: 100,
  }),
  enableStepLevelReflection: optional.flag(
    'Ask a model what to change before a step is repeated; default true',
  ),
  maxStepRetries: optional.integer('Maximum number of further attempts of a step; default 3', {
    minimum: 0,
    maximum: 20,
  }),
  maxTaskReplanningAttempts: optional.integer('Further plans of a round; default 1', {
    minimum: 0,
    maximum: 20,
  }),
  maxConsecutiveFailures: optional.integer('Number of failed rounds in a row that ends the task; default 3', {
    minimum: 1,
    maximum: 100,
  }),
  requireSuccess: optional.flag(
    'A high correctness ends the task only if every step succeeded; default false',
  ),
})
export type TaskDefaults = Static<typeof TaskDefaults>

/** What webhooks report: the end of turns and tasks, turns that wait for approvals, and changes of the catalog. */
export const WEBHOOK_EVENTS = [
  'turn.completed',
  'turn.failed',
  'turn.cancelled',
  'turn.paused',
  'task.completed',
  'task.exhausted',
  'task.failed',
  'task.timed_out',
  'task.cancelled',
  'catalog.changed',
  'release.moved',
] as const
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number]

/** Where events are sent to, signed as Standard Webhooks. */
export const Webhook = closedObject({
  url: url('Receives a POST for each event; redirects are not followed'),
  secret: Type.Union(SecretReference.anyOf, {
    description:
      'Where the key of the signature is: base64 of 24 to 64 bytes, with or without `whsec_` before it',
  }),
  events: Type.Array(Type.Enum([...WEBHOOK_EVENTS, 'turn.*', 'task.*', 'catalog.*', 'release.*']), {
    minItems: 1,
    description:
      'Which events it receives; `turn.*`, `task.*`, `catalog.*` and `release.*` are all of a kind',
  }),
})
export type Webhook = Static<typeof Webhook>
/** What the releases of a label need before they are served. */
export const LabelGate = closedObject({
  required: Type.Integer({
    minimum: 1,
    maximum: 16,
    description: 'How many different signers a release needs',
  }),
  signers: Type.Record(
    Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$' }),
    Type.Array(Type.String({ minLength: 1, maxLength: 4_096 }), { minItems: 1, maxItems: 4 }),
    {
      description:
        'Ed25519 public keys by the signer’s name, PEM or the base64 line of it; several while one replaces another',
    },
  ),
  audience: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'Names this installation, such as `prod-eu`: signatures for one are worthless in another',
  }),
  minimum: Type.Optional(
    Type.Record(Type.String(), Type.Integer({ minimum: 1 }), {
      description: 'The lowest sequence by prompt id that a process accepts that was just started',
    }),
  ),
  tests: Type.Optional(
    Type.Enum(['required'], {
      description: 'The tests of the prompt have to pass, as the signed release says; a rollback needs none',
    }),
  ),
})
export type LabelGate = Static<typeof LabelGate>

/** `CONFIG_FILE`: what does not fit into environment variables. Every section is optional. */
export const ConfigFile = closedObject({
  upstreams: Type.Record(Type.String(), UpstreamEntry, {
    default: {},
    description: 'Language models in addition to `LLM_BASE_URL`, by name',
  }),
  tapes: Type.Record(Type.String(), Tapes, {
    default: {},
    description: 'Recorded answers, by the name that `models` give as upstream',
  }),
  models: Type.Array(ModelRoute, { default: [], description: 'Which upstream answers a model name' }),
  prices: Type.Record(Type.String(), Price, {
    default: {},
    description: 'By model name, for log and metrics',
  }),
  toolBaseUrls: Type.Record(Type.String(), Url, {
    default: {},
    description: 'Base URLs by module; `TOOL_BASE_URLS` takes precedence for a module that both name',
  }),
  mcpServers: Type.Record(Type.String(), McpServer, { default: {}, description: 'MCP servers by name' }),
  protoFiles: Type.Array(Type.String({ minLength: 1 }), {
    default: [],
    description: '`.proto` files for gRPC servers without reflection',
  }),
  protoDirectories: Type.Array(Type.String({ minLength: 1 }), {
    default: [],
    description: 'Where imports of `protoFiles` are found',
  }),
  grpcTls: Type.Optional(
    Type.Object(GrpcTls.properties, { additionalProperties: false, description: 'TLS of `grpcs:` tools' }),
  ),
  tasks: Type.Optional(
    Type.Object(TaskDefaults.properties, {
      additionalProperties: false,
      description: 'Defaults of tasks',
    }),
  ),
  webhooks: Type.Array(Webhook, {
    default: [],
    description:
      'Endpoints that are notified when turns and tasks end, and when the catalog or a label changes',
  }),
  labels: Type.Record(Type.String({ pattern: `^${LABEL_PATTERN}$` }), LabelGate, {
    default: {},
    description: 'Signatures and tests that releases need before they are served, by label',
  }),
  secrets: Type.Record(Type.String(), ToolSecret, {
    default: {},
    description: 'What headers of tools may name, as in `Bearer \u0024{secret:NAME}`',
  }),
})
export type ConfigFile = Static<typeof ConfigFile>
