import { anyObject, looseObject, PASSED_ON } from './any-object.js'
import { inlinePrompt, originalVariables, scenario } from './api.js'
import { ComposeItems } from './compose.js'
import { optional } from './optional.js'
import { PROTOCOL_CHOICES } from './protocol-id.js'
import { type Static, Type } from './type.js'

const open = { additionalProperties: true } as const
const MODEL = '`prompt:<id>` runs a registered prompt, `agent:<id>` an agent; any other name is a model'

const Message = Type.Object(
  { role: Type.String({ minLength: 1, description: 'Such as `system` or `user`' }) },
  { title: 'Message', ...open, description: 'An OpenAI chat message' },
)

const chat = {
  scenario,
  model: optional.text('Default: the prompt’s `model`, then `LLM_MODEL`', { minLength: 1 }),
  variables: Type.Optional(anyObject({ description: 'What the templates read as `.variables`' })),
  args: Type.Optional(anyObject({ description: 'Alias of `variables`; give one of them' })),
  messages: Type.Optional(
    Type.Array(Message, { description: 'The conversation so far; follows the prompt’s own messages' }),
  ),
  stream: optional.orNull(Type.Boolean(), 'Answer as server-sent events, closed by `[DONE]`'),
  protocol: optional.orNull(
    Type.Enum([...PROTOCOL_CHOICES]),
    'How the model writes tool calls; with all but `native` it sees and writes text, and you see `tool_calls`',
  ),
  run_tools: optional.orNull(
    Type.Boolean(),
    'Whether the prompt’s own `tools` run here: by default they do, unless the request has `tools`; `false` answers with `tool_calls`',
  ),
  structured: Type.Optional(
    Type.Union([Type.Boolean(), Type.Literal('repair')], {
      description:
        'Have the answer follow the prompt’s `returns` schema, and check it; `repair` asks once more if it does not',
    }),
  ),
}

/** Body of `POST /api/chat/prompts/{id}`. Every further field is passed on to the model unchanged. */
export const ChatBody = Type.Object(
  { ...chat, compose: Type.Optional(ComposeItems) },
  {
    title: 'ChatRequest',
    ...PASSED_ON,
    default: {},
    description:
      'Every further field, such as `temperature` or `tools`, is passed on to the model unchanged; a variable of the prompt is refused there',
    examples: [{ model: 'echo', variables: { code: '# 你好', language: 'python' } }],
  },
)
export type ChatBody = Static<typeof ChatBody>

/** Body of `POST /api/prompts/{id}/chat`: what clients of the Go original send has nil maps and empty names. */
export const AliasChatBody = Type.Object(
  {
    ...chat,
    ...originalVariables,
    model: optional.text('Empty means the default model'),
    compose: Type.Optional(ComposeItems),
  },
  {
    title: 'LegacyChatRequest',
    ...PASSED_ON,
    default: {},
    examples: [{ model: 'echo', args: { code: '# 你好', language: 'python' }, temperature: 0.2 }],
  },
)

/** Body of `POST /api/chat`: exactly one of `prompt` and `compose`. */
export const InlineChatBody = Type.Object(
  {
    prompt: inlinePrompt,
    compose: Type.Optional(ComposeItems),
    ...chat,
  },
  {
    title: 'InlineChatRequest',
    ...PASSED_ON,
    examples: [
      { prompt: { userPrompt: 'Hello {{.variables.name}}' }, variables: { name: 'World' } },
      {
        compose: [
          { role: 'system', text: 'Answer in one sentence.' },
          { role: 'user', text: 'Who was Ada Lovelace?' },
        ],
      },
    ],
  },
)
export type InlineChatBody = Static<typeof InlineChatBody>

/** OpenAI's `chat.completion`; with `stream: true` the answer is `text/event-stream`. */
export const ChatAnswer = Type.Object(
  {
    id: optional.text('Of the answer'),
    object: optional.text('`chat.completion`'),
    model: optional.text('The model that answered'),
    choices: Type.Array(anyObject(), { description: 'The answers, each with its `message`' }),
    usage: optional.any('Token counts'),
  },
  {
    title: 'ChatCompletion',
    ...open,
    description: 'The model’s own JSON, nothing dropped',
    examples: [
      {
        id: 'chatcmpl-echo',
        object: 'chat.completion',
        created: 1795308233,
        model: 'echo',
        choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      },
    ],
  },
)

/** A chunk of a streamed chat completion. */
export const ChatCompletionChunk = Type.Object(
  {
    id: optional.text('Of the answer'),
    object: optional.text('`chat.completion.chunk`'),
    model: optional.text('The model that answers'),
    choices: Type.Array(
      looseObject({
        index: Type.Integer({ description: 'Of the answer, from 0' }),
        delta: looseObject(
          {
            role: optional.text('In the first chunk: `assistant`'),
            content: optional.any('The next piece of the text'),
          },
          { description: 'What is new' },
        ),
        finish_reason: optional.orNull(Type.String(), 'In the last chunk: why the answer ended'),
      }),
      { description: 'Empty in a chunk of usage' },
    ),
    usage: optional.any('Token counts, where the request asks for them'),
  },
  {
    title: 'ChatCompletionChunk',
    ...open,
    description: 'The model’s own JSON, nothing dropped; the stream ends with `[DONE]`',
  },
)

const promptReference = Type.Object(
  {
    id: Type.String({ minLength: 1, description: 'Of the prompt; it may name a version or a label' }),
    version: optional.orNull(Type.String(), 'A version, a label, or what the document calls itself'),
    variables: optional.orNull(anyObject(), 'What the templates read as `.variables`'),
  },
  { title: 'PromptReference', description: 'A registered prompt, in the shape of OpenAI’s reusable prompts' },
)

/** Body of `POST /v1/chat/completions`. */
export const CompletionsBody = Type.Object(
  {
    model: optional.text(MODEL, { minLength: 1 }),
    prompt: Type.Optional(promptReference),
    messages: chat.messages,
    scenario,
    variables: chat.variables,
    args: chat.args,
    stream: chat.stream,
    structured: chat.structured,
    protocol: chat.protocol,
    run_tools: chat.run_tools,
  },
  {
    title: 'ChatCompletionRequest',
    ...PASSED_ON,
    examples: [
      { model: 'prompt:translator.translate_zh_en', variables: { code: '# 你好', language: 'python' } },
    ],
  },
)
export type CompletionsBody = Static<typeof CompletionsBody>

/** Body of `POST /v1/responses`. */
export const ResponsesBody = Type.Object(
  {
    model: optional.text(MODEL, { minLength: 1 }),
    prompt: optional.orNull(promptReference, 'A registered prompt, whose messages come before the input'),
    input: Type.Optional(
      Type.Union([Type.String(), Type.Array(anyObject())], { description: 'A text, or a list of items' }),
    ),
    stream: chat.stream,
    store: optional.orNull(
      Type.Boolean(),
      'Keep the response, so that others can follow it; without it `RESPONSES_STORE` decides',
    ),
    previous_response_id: optional.orNull(
      Type.String(),
      'A kept response of this key to continue; several requests may continue the same one',
    ),
    conversation: optional.orNull(
      Type.Union([Type.String(), looseObject({ id: Type.String({ description: 'Of the conversation' }) })]),
      'A conversation of this key, which the request and its answer are added to',
    ),
    background: optional.orNull(
      Type.Boolean(),
      'Answer at once and continue without the client; needs a response that is kept',
    ),
    truncation: optional.orNull(
      Type.Enum(['auto', 'disabled']),
      'With `auto` a conversation that the model refuses as too long loses its oldest messages',
    ),
    include: optional.orNull(
      Type.Array(Type.String()),
      'What else the answer shows, such as `message.output_text.logprobs`',
    ),
  },
  { title: 'ResponseRequest', ...PASSED_ON, examples: [{ model: 'echo', input: 'Hello' }] },
)
export type ResponsesBody = Static<typeof ResponsesBody>

export const ResponseAnswer = Type.Object(
  {
    id: Type.String({ description: 'Of the response' }),
    object: Type.String({ description: '`response`' }),
    output: Type.Array(anyObject(), { description: 'Items: messages, calls, reasoning' }),
  },
  {
    title: 'Response',
    ...open,
    description: 'A response, as OpenAI’s interface has it',
    examples: [
      {
        id: 'resp_req933c955697733',
        object: 'response',
        created_at: 1795308233,
        status: 'completed',
        model: 'echo',
        output: [
          {
            id: 'msg_req933c955697733',
            type: 'message',
            status: 'completed',
            role: 'assistant',
            content: [{ type: 'output_text', text: 'Hello', annotations: [], logprobs: [] }],
          },
        ],
        usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
      },
    ],
  },
)

/** Body of `POST /v1/embeddings`: for the upstream, unchanged. */
export const EmbeddingsBody = Type.Object(
  {
    model: Type.String({ minLength: 1, description: 'A model of an upstream that has embeddings' }),
    input: Type.Unknown({ description: 'A text, a list of texts, or tokens' }),
  },
  { title: 'EmbeddingsRequest', ...PASSED_ON, examples: [{ model: 'echo', input: 'Hello' }] },
)
export type EmbeddingsBody = Static<typeof EmbeddingsBody>

/** The upstream’s own JSON. */
export const EmbeddingsAnswer = Type.Object(
  {
    object: optional.text('Mostly `list`'),
    data: Type.Array(anyObject(), { description: 'Embeddings, each with the index of its input' }),
    model: optional.text('The model that answered'),
    usage: optional.any('Tokens of the input'),
  },
  {
    title: 'Embeddings',
    ...open,
    description: 'The upstream’s own JSON, nothing dropped',
    examples: [
      {
        object: 'list',
        data: [{ object: 'embedding', index: 0, embedding: [0.0023, -0.0093] }],
        model: 'text-embedding-3-small',
        usage: { prompt_tokens: 1, total_tokens: 1 },
      },
    ],
  },
)

/** Query of `GET /v1/models`: pages, for clients of Anthropic only. */
export const ModelQuery = Type.Object({
  limit: optional.integer('Models per page, for clients that send `anthropic-version`', {
    minimum: 1,
    maximum: 1_000,
  }),
  after_id: optional.text('`last_id` of the page before, for clients that send `anthropic-version`'),
  before_id: optional.text('`first_id` of the page after, for clients that send `anthropic-version`'),
})
export type ModelQuery = Static<typeof ModelQuery>

export const ModelEntry = looseObject(
  {
    id: Type.String({ description: 'What requests name as `model`' }),
    object: Type.String({ description: '`model`' }),
    owned_by: Type.String({ description: 'The upstream, or `ai-prompt-shell`' }),
  },
  { title: 'Model', description: 'A model, or a prompt or agent as one' },
)
export const ModelList = Type.Object(
  {
    object: Type.Literal('list', { description: 'What this is' }),
    data: Type.Array(ModelEntry, { description: 'Models first, then prompts and agents' }),
  },
  { title: 'ModelList', description: 'Models, prompts and agents' },
)

export const ModelParams = Type.Object({
  model: Type.String({
    minLength: 1,
    description: 'A name from the list',
    examples: ['prompt:review.code_review'],
  }),
})
export type ModelParams = Static<typeof ModelParams>
