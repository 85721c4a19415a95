import { anyObject, looseObject, PASSED_ON } from './any-object.js'
import { ErrorCodeShape } from './error-answers.js'
import { eventShape, eventUnion } from './event-union.js'
import { optional } from './optional.js'
import { type Static, Type } from './type.js'

const turns = Type.Array(
  Type.Object(
    {
      role: Type.Enum(['user', 'assistant', 'system'], { description: 'Who says it' }),
      content: Type.Unknown({ description: 'A text, or a list of content blocks' }),
    },
    { title: 'AnthropicTurn', additionalProperties: true, description: 'A message of the conversation' },
  ),
  { description: 'The conversation, as Anthropic’s messages interface has it' },
)

const asked = {
  model: optional.text(
    '`prompt:<id>` runs a registered prompt, `agent:<id>` an agent; any other name is a model. Default: `LLM_MODEL`',
    { minLength: 1 },
  ),
  messages: turns,
  system: optional.any('A text, or a list of text blocks'),
  tools: optional.any('Tools with an `input_schema`; those that run at Anthropic are refused by name'),
  tool_choice: optional.any('`{type: auto | any | tool | none, name?, disable_parallel_tool_use?}`'),
  thinking: optional.any(
    '`enabled` and `adaptive` show what the model thinks; a budget becomes a `reasoning_effort`',
  ),
}

/** Body of `POST /v1/messages`. */
export const MessagesBody = Type.Object(
  {
    ...asked,
    max_tokens: optional.integer('The longest answer', { minimum: 1 }),
    stream: optional.flag('Answer as server-sent events'),
    stop_sequences: optional.any('Texts that end the answer'),
    metadata: optional.any('`user_id` goes to the model as `user`'),
  },
  {
    title: 'AnthropicMessageRequest',
    ...PASSED_ON,
    description:
      'Further fields, such as `temperature` or `variables` of a prompt, are read as in chat completions. Hints for Anthropic’s cache are left out',
    examples: [{ model: 'echo', max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] }],
  },
)
export type MessagesBody = Static<typeof MessagesBody>

/** Body of `POST /v1/messages/count_tokens`. */
export const CountTokensBody = Type.Object(asked, {
  title: 'AnthropicCountRequest',
  ...PASSED_ON,
  examples: [{ model: 'echo', messages: [{ role: 'user', content: 'Hello' }] }],
})

const usage = Type.Object(
  {
    input_tokens: Type.Integer({ description: 'Without those from the cache' }),
    cache_creation_input_tokens: Type.Integer({ description: 'Always 0' }),
    cache_read_input_tokens: Type.Integer({ description: 'Input tokens from the cache' }),
    output_tokens: Type.Integer({ description: 'Of the answer, thinking included' }),
  },
  { title: 'AnthropicUsage', additionalProperties: true, description: 'Token counts' },
)

/** Anthropic's `message`; with `stream: true` the answer is `text/event-stream`. */
export const MessageAnswer = Type.Object(
  {
    id: Type.String({ description: 'Of the message' }),
    type: Type.Literal('message', { description: 'What this is' }),
    role: Type.Literal('assistant', { description: 'Who says it' }),
    model: Type.String({ description: 'The model that answered' }),
    content: Type.Array(anyObject(), { description: 'Blocks of text, of thinking or of a tool’s use' }),
    stop_reason: Type.Union([Type.Enum(['end_turn', 'max_tokens', 'tool_use', 'refusal']), Type.Null()], {
      description: 'Why it ended',
    }),
    stop_sequence: Type.Union([Type.String(), Type.Null()], { description: 'Always null' }),
    usage,
  },
  {
    title: 'AnthropicMessage',
    description: 'A message, as Anthropic’s clients read it',
    additionalProperties: true,
    examples: [
      {
        id: 'msg_5f2b8c1d90ae4c599d536a1c1c6f8a11',
        type: 'message',
        role: 'assistant',
        model: 'echo',
        content: [{ type: 'text', text: 'Hello', citations: null }],
        stop_reason: 'end_turn',
        stop_sequence: null,
        usage: {
          input_tokens: 1,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: 0,
          output_tokens: 1,
        },
      },
    ],
  },
)

/** How many tokens a request has. */
export const TokenCount = Type.Object(
  {
    input_tokens: Type.Integer({
      description: 'Of the texts and tools, in the o200k_base encoding: near what the model counts',
    }),
  },
  {
    title: 'AnthropicTokenCount',
    description: 'How many tokens a request has',
    examples: [{ input_tokens: 5 }],
  },
)

const modelEntry = {
  type: Type.Literal('model', { description: 'What this is' }),
  id: Type.String({ description: 'What requests name as `model`' }),
  display_name: Type.String({ description: 'The same as `id`' }),
  created_at: Type.String({ description: 'Always the same: not known' }),
}

/** A model as Anthropic's clients read it. */
export const AnthropicModel = looseObject(modelEntry, {
  title: 'AnthropicModel',
  description: 'A model as Anthropic’s clients read it',
})

/** A page of models as Anthropic's clients read it. */
export const AnthropicModelPage = Type.Object(
  {
    data: Type.Array(AnthropicModel, { description: 'Models, prompts and agents' }),
    first_id: Type.Union([Type.String(), Type.Null()], { description: '`before_id` of the page before' }),
    last_id: Type.Union([Type.String(), Type.Null()], { description: '`after_id` of the page after' }),
    has_more: Type.Boolean({ description: 'Whether there is another page' }),
  },
  { title: 'AnthropicModelPage', description: 'A page of models as Anthropic’s clients read it' },
)

/** A failure as Anthropic's clients read it. */
export const AnthropicError = Type.Object(
  {
    type: Type.Literal('error', { description: 'What this is' }),
    error: Type.Object(
      {
        type: Type.Enum(
          [
            'invalid_request_error',
            'authentication_error',
            'permission_error',
            'not_found_error',
            'request_too_large',
            'rate_limit_error',
            'api_error',
            'overloaded_error',
          ],
          { description: 'The family that Anthropic’s clients branch on' },
        ),
        message: Type.String({ description: 'Human-readable' }),
        code: ErrorCodeShape,
        param: Type.Union([Type.String(), Type.Null()], {
          description: 'Which part of the request is wrong',
        }),
        details: optional.any('Structured facts, such as every violation'),
      },
      { description: 'What is wrong' },
    ),
    request_id: Type.String({ description: '`request-id` of the answer, also in the log' }),
  },
  { $id: 'AnthropicError', description: 'A failure as Anthropic’s clients read it' },
)

const index = Type.Integer({ description: 'Of the content block' })

/** What is streamed of a message. */
export const AnthropicEvent = eventUnion(
  'AnthropicEvent',
  [
    eventShape(
      'AnthropicMessageStart',
      'message_start',
      { message: anyObject({ description: 'The message without content' }) },
      'The message, still empty',
    ),
    eventShape(
      'AnthropicBlockStart',
      'content_block_start',
      { index, content_block: anyObject({ description: 'The block without content' }) },
      'A block of text, of thinking or of a tool’s use, still empty',
    ),
    eventShape(
      'AnthropicBlockDelta',
      'content_block_delta',
      { index, delta: anyObject({ description: 'What is new' }) },
      'The next piece of it',
    ),
    eventShape('AnthropicBlockStop', 'content_block_stop', { index }, 'The block is complete'),
    eventShape(
      'AnthropicMessageDelta',
      'message_delta',
      { delta: anyObject({ description: '`stop_reason` and what belongs to it' }), usage },
      'Why it ended, and the whole usage',
    ),
    eventShape('AnthropicMessageStop', 'message_stop', {}, 'The last event'),
    eventShape(
      'AnthropicErrorEvent',
      'error',
      {
        error: anyObject({ description: 'As in the body of a failed request' }),
        request_id: Type.String({ description: '`request-id` of the answer' }),
      },
      'The last event of a message that broke off',
    ),
  ],
  'The stream of a message, as Anthropic’s clients read it',
)
