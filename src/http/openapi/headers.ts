import type { JsonObject } from '../../util/json/json.js'

/** An operation's place in the document. */
export interface OperationPlace {
  readonly path: string
  readonly method: string
}

/** Which operations a header belongs to: by name, or by their place and the answer's status. */
type Belongs = (operation: string, place: OperationPlace, status: string) => boolean

interface Header {
  readonly name: string
  readonly description: string
  readonly schema: JsonObject
  readonly of: Belongs
}

const text = { type: 'string' }
const among =
  (...operations: readonly string[]): Belongs =>
  (operation) =>
    operations.includes(operation)
const everywhere: Belongs = () => true
const isGood = (status: string) => status.startsWith('2')

const DETAILS = among('getExtension', 'getPrompt', 'getEnviron', 'getTool', 'getAgent')
const RENDERS = among('renderPrompt', 'renderPromptLegacy', 'renderInline')
const CHATS = among(
  'chatWithPrompt',
  'chatWithPromptLegacy',
  'chatInline',
  'createChatCompletion',
  'createResponse',
  'createMessage',
  'createPromptCompletion',
)
const OF_PROMPTS: Belongs = (operation, place, status) =>
  isGood(status) && (RENDERS(operation, place, status) || CHATS(operation, place, status))
const OF_MODELS: Belongs = (operation, place, status) =>
  isGood(status) && (operation === 'createEmbeddings' || CHATS(operation, place, status))
/** Where a label that is split may be asked for, of a prompt or of an agent. */
const READS_LABELS = among(
  ...[
    'renderPrompt',
    'renderPromptLegacy',
    'renderInline',
    'chatWithPrompt',
    'chatWithPromptLegacy',
    'chatInline',
  ],
  ...['createChatCompletion', 'createResponse', 'createMessage', 'countMessageTokens'],
  ...['createPromptCompletion', 'renderPromptForModel', 'getLangfusePrompt', 'recordFeedback'],
  ...[
    'runTurn',
    'createSession',
    'updateSession',
    'createContext',
    'createTask',
    'streamUiMessages',
    'runAgUi',
  ],
)
/** Where a request with `anthropic-version` is answered as Anthropic answers: with its headers, its errors, its lists. */
const ANTHROPIC: Belongs = (_operation, { path }) => path.startsWith('/v1/')

/** Headers that requests may carry, beside those of HTTP itself. */
const REQUEST_HEADERS: readonly Header[] = [
  {
    name: 'Idempotency-Key',
    description:
      'A request with the same key and body takes effect once within 24 hours. 1 to 255 visible characters',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
    of: among('createSession', 'runTurn', 'createTask'),
  },
  {
    name: 'Last-Event-ID',
    description: 'The id of the last event that was read; the stream continues after it',
    schema: text,
    of: among('followTurn', 'followTask', 'followEvents'),
  },
  {
    name: 'If-None-Match',
    description: 'The `ETag` of an earlier answer; 304 while nothing changed',
    schema: text,
    of: DETAILS,
  },
  {
    name: 'If-Match',
    description: 'The revision that was read, in quotes; 412 if the document has changed since',
    schema: text,
    of: among('saveSource'),
  },
  {
    name: 'x-stream-timing',
    description:
      'With `1` a stream has before its end, as a comment `: server-timing …`, what `Server-Timing` says of a whole answer: time, tokens and cost',
    schema: { type: 'string', enum: ['1'] },
    of: CHATS,
  },
  {
    name: 'x-api-shape',
    description: '`1` asks for the shapes of this document where `LEGACY_API` is set',
    schema: { type: 'string', enum: ['1'] },
    of: (_operation, { path }) => path.startsWith('/api/'),
  },
  {
    name: 'x-prompt-key',
    description:
      'Requests with the same key get the same version of a label that is split; default: the value that the label names, or chance',
    schema: text,
    of: READS_LABELS,
  },
  {
    name: 'anthropic-version',
    description: 'Sent by clients of Anthropic: lists of models and failures have its shape',
    schema: text,
    of: ANTHROPIC,
  },
  {
    name: 'x-portkey-api-key',
    description: 'The API key, where clients of that gateway send it',
    schema: text,
    of: (_operation, { path }) => path.startsWith('/v1/prompts/'),
  },
  {
    name: 'x-request-id',
    description: 'Id of the request in answers, logs and errors; default: generated',
    schema: { type: 'string', minLength: 1, maxLength: 128 },
    of: everywhere,
  },
]

/** Headers that answers may have, beside those of HTTP itself. */
const RESPONSE_HEADERS: readonly Header[] = [
  {
    name: 'x-request-id',
    description: 'The id of the request, also in the log',
    schema: text,
    of: everywhere,
  },
  {
    name: 'request-id',
    description: 'The same id, for clients that send `anthropic-version`',
    schema: text,
    of: ANTHROPIC,
  },
  {
    name: 'Retry-After',
    description: 'Seconds until the request may succeed',
    schema: { type: 'integer' },
    of: (_operation, _place, status) => ['409', '429', '503', '529'].includes(status),
  },
  {
    name: 'x-should-retry',
    description: '`false` where the service has retried already, or a retry would fail again',
    schema: { type: 'string', enum: ['false'] },
    of: (_operation, _place, status) => ['500', '502', '503', '529'].includes(status),
  },
  {
    name: 'WWW-Authenticate',
    description: 'How to authenticate',
    schema: text,
    of: (_operation, _place, status) => status === '401',
  },
  {
    name: 'ETag',
    description: 'For `If-None-Match`',
    schema: text,
    of: (operation, place, status) => DETAILS(operation, place, status) && ['200', '304'].includes(status),
  },
  {
    name: 'Location',
    description: 'Path of the created resource',
    schema: text,
    of: (operation, _place, status) => isGood(status) && ['createSession', 'createTask'].includes(operation),
  },
  {
    name: 'x-prompt-revision',
    description: 'Changes with the prompt and only with it',
    schema: text,
    of: OF_PROMPTS,
  },
  {
    name: 'x-prompt-version',
    description: 'The version of the prompt that was served; absent for its draft',
    schema: text,
    of: OF_PROMPTS,
  },
  {
    name: 'x-prompt-label',
    description: 'The label that the version was served for',
    schema: text,
    of: OF_PROMPTS,
  },
  {
    name: 'x-prompt-bucket',
    description: 'The share of a split label that the request fell into',
    schema: text,
    of: OF_PROMPTS,
  },
  {
    name: 'x-prompt-warnings',
    description: 'How many warnings the render had',
    schema: { type: 'integer' },
    of: OF_PROMPTS,
  },
  {
    name: 'x-prompt-stale',
    description: '`true` where the document has errors and its last good version was served',
    schema: { type: 'string', enum: ['true'] },
    of: OF_PROMPTS,
  },
  {
    name: 'Server-Timing',
    description: 'Where the time went: the render, or `llm`, `overhead`, attempts, tokens and cost',
    schema: text,
    of: (operation, place, status) =>
      OF_PROMPTS(operation, place, status) || OF_MODELS(operation, place, status),
  },
  {
    name: 'x-rescued-tool-calls',
    description: 'The format in which tool calls were found in the text of the answer',
    schema: text,
    of: OF_MODELS,
  },
  {
    name: 'x-vercel-ai-ui-message-stream',
    description: 'The version of the stream’s protocol',
    schema: text,
    of: (operation, _place, status) =>
      isGood(status) && ['streamUiMessages', 'resumeUiMessages'].includes(operation),
  },
]

/** Names of the headers of requests that the document knows, in lower case. */
export const REQUEST_HEADER_NAMES = namesOf(REQUEST_HEADERS)
/** Names of the headers of answers that the document knows, in lower case. */
export const RESPONSE_HEADER_NAMES = namesOf(RESPONSE_HEADERS)

function namesOf(headers: readonly Header[]): ReadonlySet<string> {
  return new Set(headers.map(({ name }) => name.toLowerCase()))
}

/** Every header once, as components of a document: of requests by `parameters`, of answers by `headers`. */
export function headerComponents(): { readonly parameters: JsonObject; readonly headers: JsonObject } {
  const asked = REQUEST_HEADERS.map(({ name, description, schema }) => [
    name,
    { name, in: 'header', description, schema },
  ])
  const answered = RESPONSE_HEADERS.map(({ name, description, schema }) => [name, { description, schema }])
  return { parameters: Object.fromEntries(asked), headers: Object.fromEntries(answered) }
}

/** The headers that requests of an operation may carry: references to components. */
export function requestHeadersOf(operation: string, place: OperationPlace): readonly JsonObject[] {
  return REQUEST_HEADERS.filter((header) => header.of(operation, place, '')).map(({ name }) => ({
    $ref: `#/components/parameters/${name}`,
  }))
}

/** The headers of an operation's answers of one status, by name: references to components. */
export function responseHeadersOf(
  operation: string,
  place: OperationPlace,
  status: string,
): readonly (readonly [name: string, header: JsonObject])[] {
  return RESPONSE_HEADERS.filter((header) => header.of(operation, place, status)).map(({ name }) => [
    name,
    { $ref: `#/components/headers/${name}` },
  ])
}
