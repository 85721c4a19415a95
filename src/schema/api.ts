import type { JsonValue } from '../util/json/json.js'
import { anyObject, closedObject, looseObject } from './any-object.js'
import { ComposeItems } from './compose.js'
import { DiagnosticShape } from './diagnostic.js'
import { ErrorCodeShape, ErrorTypeShape } from './error-answers.js'
import { errorExample } from './error-examples.js'
import { openEnum } from './open-enum.js'
import { ignoredParameters } from './openai-parameters.js'
import { optional } from './optional.js'
import { SCENARIOS } from './prompt.js'
import { TOOL_FAILURE_CODES, ToolFailureShape } from './tool-failures.js'
import { type Static, Type } from './type.js'
import { WARNING_CODES } from './warning-codes.js'

/** Query of the four list endpoints. */
export const ListQuery = Type.Object({
  supports: optional.text(`Only those that support a scenario: ${SCENARIOS.join(', ')}`),
  q: optional.text('Only those that have every word of it in their id, name or description', {
    maxLength: 200,
  }),
  id: optional.text('Only the one with this id', { minLength: 1 }),
  status: Type.Optional(
    Type.Enum(['broken'], { description: 'Only what has errors, with `diagnostics` in place of a summary' }),
  ),
  limit: optional.integer('Items per page', { minimum: 1, maximum: 10_000, default: 1_000 }),
  cursor: optional.text('`next_cursor` of the page before'),
  fields: optional.text(
    'Members of each item in addition to `id`, such as `name,description`; default: all',
    {
      maxLength: 200,
    },
  ),
})
/** As checked: defaults are filled in. */
export type ListQuery = Static<typeof ListQuery> & { readonly limit: number }

/** The id of a path, with one that the bundled catalog has. */
export function idParams(example: string) {
  return Type.Object({ id: Type.String({ minLength: 1, description: 'Dotted id', examples: [example] }) })
}
export type IdParams = Static<ReturnType<typeof idParams>>

const open = { additionalProperties: true } as const

/** One row of a list. */
export const EntrySummary = looseObject(
  {
    id: Type.String({ description: 'Dotted id' }),
    revision: optional.orNull(Type.String(), 'Absent only where `fields` does not name it'),
    name: optional.text('As the document has it'),
    description: optional.text('As the document has it'),
    displayName: optional.text('Of an extension'),
    version: optional.text('Of an extension'),
    publisher: optional.text('Of an extension'),
    prompts: Type.Optional(
      Type.Array(Type.Unknown(), { description: 'Of an extension: the names of its prompts' }),
    ),
    kind: optional.text('Of a prompt: `prompt` for one text, `messages` for several'),
    origin: optional.text('Of a prompt: `direct` for a document of its own, or who has it'),
    extension: optional.text('Of a prompt: the extension that has it'),
    supports: optional.texts('Of a prompt or tool: the only scenarios it is for; empty for all'),
    function: optional.text('Of a tool: what templates call it'),
    type: optional.text('Of a tool: its connection; of an environ: what its value is'),
    module: optional.text('Of a tool'),
    readOnly: optional.flag('Of a tool: that it changes nothing'),
    tools: optional.texts('Of an agent: what it names as its tools'),
    model: optional.text('Of an agent'),
    protocol: optional.text('Of an agent: how its model writes tool calls'),
    role: optional.text('Of an agent'),
    examples: optional.texts('Of a prompt: the names of its examples; absent without any'),
    serving_last_good: optional.flag('With `status=broken`: an earlier version keeps serving'),
    diagnostics: Type.Optional(
      Type.Array(DiagnosticShape, { description: 'With `status=broken`: what is wrong with it' }),
    ),
  },
  { title: 'EntrySummary', description: 'One row of a list' },
)

/** A page of a list: sorted by id, `next_cursor` only when there is more. */
export const ListAnswer = Type.Object(
  {
    items: Type.Array(EntrySummary, { description: 'Sorted by id' }),
    total: Type.Integer({ description: 'How many match, on all pages' }),
    broken: Type.Integer({ description: 'How many have errors; `?status=broken` lists them' }),
    next_cursor: optional.text('`cursor` of the next page; absent on the last one'),
  },
  { title: 'EntryPage' },
)

const detail = {
  id: Type.String({ description: 'Dotted id' }),
  revision: Type.Union([Type.String(), Type.Null()], {
    description: 'Changes with the document and only with it; null where it has no good version',
  }),
  diagnostics: Type.Optional(Type.Array(DiagnosticShape, { description: 'What is wrong with the document' })),
  source: optional.text('What is written in a document that has no good version, up to 64 Ki characters'),
}

/** One extension, prompt, tool or agent: its document, and what is known of it. */
export const DETAIL_ANSWERS = {
  extension: looseObject(detail, { title: 'Extension', description: 'An extension: its document' }),
  prompt: looseObject(
    {
      ...detail,
      schema: optional.any('JSON Schema of its variables'),
      kind: optional.text('`prompt` for one text, `messages` for several'),
      engine: optional.text('Of its templates: `go` or `handlebars`'),
      origin: optional.text('`direct` for a document of its own, or who has it'),
      extension: optional.text('The extension that has it'),
      labels: optional.texts('Those that the key may have'),
      newest_version: optional.integer('Its number'),
      examples: Type.Optional(
        anyObject({
          description: 'Of a prompt: named sets of variables, each an object as `variables` of a render',
        }),
      ),
    },
    { title: 'Prompt', description: 'A prompt: its document' },
  ),
  tool: looseObject(
    {
      ...detail,
      function: optional.text('What templates and models call it'),
      origin: optional.text('`direct` for a document of its own, or who has it'),
    },
    { title: 'Tool', description: 'A tool: its document' },
  ),
  agent: looseObject(
    { ...detail, schema: optional.any('JSON Schema of its variables') },
    { title: 'Agent', description: 'An agent: its document' },
  ),
} as const

export const EnvironAnswer = Type.Object(
  {
    id: Type.String({ description: 'Dotted id, which may lead into a value' }),
    revision: optional.orNull(Type.String(), 'Only when the id is a key of its own'),
    value: optional.any('Absent where the document has no good version'),
    diagnostics: Type.Optional(
      Type.Array(DiagnosticShape, { description: 'What is wrong with the document' }),
    ),
  },
  { title: 'Environ', description: 'A shared variable, or something inside one' },
)

const Variables = anyObject({ description: 'What the templates read as `.variables`' })
const variables = {
  variables: Type.Optional(Variables),
  args: Type.Optional(anyObject({ description: 'Alias of `variables`; give one of them' })),
}

/** Which use a request is for. */
export const scenario = optional.text(
  `What it is for, such as ${SCENARIOS.join(', ')}: 400 unless prompt and tools support it`,
  { minLength: 1 },
)

/** Body of `POST /api/render/prompts/{id}`. */
export const RenderBody = closedObject(
  { ...variables, scenario, compose: Type.Optional(ComposeItems), ...ignoredParameters },
  {
    title: 'RenderRequest',
    default: {},
    examples: [{ variables: { diff: '+ return nil', ticket: 'SHOP-12' } }],
  },
)
export type RenderBody = Static<typeof RenderBody>

const nullableVariables = optional.orNull(anyObject(), 'What the templates read as `.args`')

/** What clients of the Go original send: nil maps are `null`. */
export const originalVariables = { variables: nullableVariables, args: nullableVariables }

/** Body of `POST /api/prompts/{id}/render`, read as leniently as the Go original reads it. */
export const AliasRenderBody = Type.Object(
  { ...originalVariables, scenario, compose: Type.Optional(ComposeItems) },
  {
    title: 'LegacyRenderRequest',
    ...open,
    default: {},
    examples: [{ args: { diff: '+ return nil', ticket: 'SHOP-12' } }],
  },
)

/** A prompt that a request brings along. */
export const inlinePrompt = Type.Optional(
  anyObject({
    description: 'A prompt document, as in the catalog',
    examples: [{ userPrompt: 'Hello {{.variables.name}}' }],
  }),
)

/** Body of `POST /api/render`: exactly one of `prompt` and `compose`. */
export const InlineRenderBody = closedObject(
  {
    prompt: inlinePrompt,
    compose: Type.Optional(ComposeItems),
    scenario,
    ...variables,
    ...ignoredParameters,
  },
  {
    title: 'InlineRenderRequest',
    examples: [
      { prompt: { userPrompt: 'Hello {{.variables.name}}' }, variables: { name: 'World' } },
      {
        compose: [
          { role: 'system', text: 'Answer in one sentence.' },
          {
            role: 'user',
            prompt: { userPrompt: 'Who was {{.variables.name}}?' },
            variables: { name: 'Ada' },
          },
        ],
      },
    ],
  },
)
export type InlineRenderBody = Static<typeof InlineRenderBody>

const renderQuery = {
  explain: Type.Optional(
    Type.Enum(['false', 'true', 'spans', 'tokens'], {
      default: 'false',
      description:
        'Report which variables and tools were used, and when; `spans` also reports where every character comes from, `tokens` where the tokens come from and how many of them a prefix cache can keep',
    }),
  ),
  dry_run: Type.Optional(
    Type.Enum(['false', 'true', 'writes'], {
      default: 'false',
      description:
        'Call no tool, or with `writes` only tools that are `readOnly`: placeholders take the place of the other results',
    }),
  ),
}

/** Which text of a prompt is meant: at most one of both, and none where the id says it (`review.code_review@8`). */
const choice = {
  version: optional.text('The version that is meant, such as `8`; default: see `label`'),
  label: optional.text(
    'The label whose version is meant, such as `production`; default: the key’s, then `PROMPT_LABEL`, then the draft',
  ),
}

/** Query of routes that take a prompt. */
export const ChoiceQuery = Type.Object(choice)
export type ChoiceQuery = Static<typeof ChoiceQuery>

/** Query of the render endpoints of registered prompts. */
export const RegisteredRenderQuery = Type.Object({ ...choice, ...renderQuery })

/** Query of the render endpoints. */
export const RenderQuery = Type.Object(renderQuery)
/** As checked: defaults are filled in. */
export type RenderQuery = Required<Static<typeof RenderQuery>> & ChoiceQuery

const SpanKind = Type.Enum(['text', 'variable', 'environ', 'tool', 'partial', 'function'], {
  description:
    'The innermost origin. `text` is text of the template itself, `partial` of an included one; `function`: computed by a function from constants.',
})

const TextSpan = Type.Object(
  {
    start: Type.Integer({ description: 'In UTF-16 units' }),
    end: Type.Integer({ description: 'Behind its last UTF-16 unit' }),
    kind: SpanKind,
    path: optional.text('Of a `variable` or `environ`, with the indices of loops: `variables.items.0.name`'),
    call: optional.text('The name of the `function` or `tool`'),
    template: Type.String({ description: 'Where line and column are: the prompt, or what it includes' }),
    line: Type.Integer({ minimum: 1, description: 'From 1' }),
    column: Type.Integer({ minimum: 1, description: 'From 1, in UTF-16 code units' }),
    part: optional.integer('Of a message of parts: which part the text is in'),
    field: optional.text('The member of that part: `text`'),
  },
  { title: 'TextSpan', description: 'Where a stretch of a text comes from' },
)

/** Tokens that come from one place. */
export const BilledTokensShape = Type.Object(
  {
    kind: SpanKind,
    path: optional.text('Of a `variable` or `environ`, up to the first index'),
    call: optional.text('The name of the `function` or `tool`'),
    template: optional.text('The prompt that contains the `text` or `partial`'),
    tokens: Type.Integer({ description: 'How many' }),
  },
  { title: 'BilledTokens', description: 'Tokens that come from one place' },
)

/** How much of a prompt a prefix cache can keep. */
export const PrefixBillShape = Type.Object(
  {
    stable_tokens: Type.Integer({ description: 'Before the first token that a request may change' }),
    breaks_at: Type.Union(
      [
        Type.Null(),
        Type.Object({
          message: Type.Integer({ description: 'From 0; a `userPrompt` is one message' }),
          template: Type.String({ description: 'Where line and column are' }),
          line: Type.Integer({ description: 'From 1' }),
          column: Type.Integer({ description: 'From 1, in UTF-16 code units' }),
          by: Type.String({ description: 'What changes there: a variable, a tool or a function' }),
        }),
      ],
      { description: 'Where that token comes from; null where no request changes any' },
    ),
    could_be: Type.Integer({
      description: 'What `stable_tokens` would be with everything first that no request changes',
    }),
  },
  {
    title: 'PrefixBill',
    description: 'Only with `?explain=tokens`: how much of the prompt a prefix cache can keep',
  },
)

const span = {
  start_ms: Type.Number({ description: 'After the start of the render' }),
  duration_ms: Type.Number({ description: 'How long it took' }),
}
/** What happened while a prompt rendered. */
export const ExplanationShape = Type.Object(
  {
    dry_run: Type.Boolean({ description: 'Whether no tool was called' }),
    variables: Type.Array(
      looseObject({
        path: Type.String({ description: 'Such as `variables.name`' }),
        found: Type.Boolean({ description: 'Whether there is a value' }),
        conditional: Type.Boolean({ description: 'Whether it is read in a branch only' }),
      }),
      { description: 'What the templates read' },
    ),
    tools: Type.Array(
      looseObject({
        tool: Type.String({ description: 'Its id' }),
        function: Type.String({ description: 'The name templates call' }),
        arguments: Type.Unknown({ description: 'As sent to the tool: by name, with defaults' }),
        status: Type.Enum(['ok', 'failed', 'dry_run'], { description: 'What came of the call' }),
        cached: Type.Boolean({ description: 'Whether an earlier result was used' }),
        error: Type.Optional(ToolFailureShape),
        ...span,
      }),
      { description: 'Calls of tools' },
    ),
    tokens: Type.Integer({ description: 'Of the rendered prompt, in the o200k_base encoding' }),
    timeline: Type.Array(Type.Object({ name: Type.String({ description: 'What was done' }), ...span }), {
      description: 'What took time',
    }),
    spans: Type.Optional(
      Type.Array(Type.Array(TextSpan), {
        description:
          'Only with `?explain=spans`: a list for each message, one for a `userPrompt`. The spans of a text follow each other without a gap.',
      }),
    ),
    tokens_by_origin: Type.Optional(
      Type.Array(BilledTokensShape, {
        description: 'Only with `?explain=tokens`: the most first; together they are `tokens`',
      }),
    ),
    prefix: Type.Optional(PrefixBillShape),
  },
  { title: 'Explanation', description: 'What happened while it rendered; only with `explain` in the query' },
)

const RenderedMessage = looseObject(
  {
    role: Type.String({ description: 'Such as `system` or `user`' }),
    content: Type.Unknown({ description: 'A text, or content parts' }),
  },
  { title: 'RenderedMessage', description: 'An OpenAI chat message' },
)
const renderedMessages = Type.Array(RenderedMessage)

/** Codes of warnings, of a render itself and of tools that failed while it ran. */
const WarningCodeShape = openEnum(
  [...Object.keys(WARNING_CODES), ...TOOL_FAILURE_CODES],
  'Why: stable, to branch on. Of a tool that failed, the failure',
  { title: 'WarningCode' },
)

/** What a render or a tool wants looked at. */
export const Warning = Type.Object(
  {
    tool: optional.text('Of a tool that failed: its id'),
    path: optional.text('What of the request it is about'),
    code: WarningCodeShape,
    message: Type.String({ description: 'Human-readable' }),
    substituted: optional.any('What a template got in place of the result'),
  },
  { title: 'Warning', description: 'What a render or a tool wants looked at' },
)

const rendered = {
  status: Type.Literal('success', { description: 'Errors say `error`' }),
  kind: Type.Enum(['prompt', 'messages'], { description: 'Whether `rendered_prompt` is a text or messages' }),
  rendered_prompt: Type.Union([Type.String(), renderedMessages], {
    description: 'The text of a `userPrompt`, or the messages',
  }),
  warnings: Type.Optional(
    Type.Array(Warning, {
      description:
        'Tools that failed and what was printed instead, variables the prompt does not know, parameters that only a model reads, and a prompt that is older than its document',
    }),
  ),
  explain: Type.Optional(ExplanationShape),
}

const text =
  'Answer in the language of the question. Be concrete: name files, functions and lines.\nSay what you do not know instead of guessing.'
const example = { status: 'success', kind: 'prompt', rendered_prompt: text }

export const RenderAnswer = Type.Object(rendered, { title: 'RenderResult', examples: [example] })

/** Answers with the fields of the Go original, too. */
export const AliasRenderAnswer = Type.Object(
  {
    ...rendered,
    prompt: optional.text('The text, when `kind` is `prompt`'),
    messages: Type.Optional(
      Type.Array(RenderedMessage, { description: 'The messages, when `kind` is `messages`' }),
    ),
  },
  { title: 'LegacyRenderResult', examples: [{ ...example, prompt: text }] },
)

/** Body of `POST /api/tools/{id}/call`. */
export const ToolCallBody = closedObject(
  {
    arguments: Type.Optional(
      Type.Union([anyObject(), Type.Array(Type.Unsafe<JsonValue>({}))], {
        description: 'By name, or by position as a template gives them',
      }),
    ),
  },
  { title: 'ToolCallRequest', default: {}, examples: [{ arguments: { symbol: 'CreateOrder' } }] },
)
export type ToolCallBody = Static<typeof ToolCallBody>

export const ToolCallAnswer = Type.Object(
  {
    status: Type.Enum(['success', 'failed'], { description: 'What came of the call' }),
    tool: Type.String({ description: 'Its id' }),
    function: Type.String({ description: 'The name templates call' }),
    arguments: Type.Unknown({ description: 'As sent to the tool: by name, with defaults' }),
    duration_ms: Type.Number({ description: 'How long it took' }),
    value: optional.any('The result of a call that succeeded'),
    cached: optional.flag('Whether an earlier result was used'),
    warnings: optional.texts('Where the result does not fit the schema in `returns`'),
    error: Type.Optional(ToolFailureShape),
    substituted: optional.any('Of a call that failed: what a template would get'),
  },
  { title: 'ToolCallResult' },
)

const failed = {
  status: Type.Literal('error', { description: 'Answers of a render say `success`' }),
  error: Type.Object(
    {
      message: Type.String({ description: 'Human-readable' }),
      type: ErrorTypeShape,
      code: ErrorCodeShape,
      param: Type.Union([Type.String(), Type.Null()], {
        description: 'Which part of the request is wrong',
      }),
      details: optional.any('Structured facts, such as every violation'),
    },
    { title: 'ErrorFacts', description: 'What is wrong' },
  ),
  request_id: Type.String({ description: '`x-request-id` of the answer, also in the log' }),
}

/** What ends a stream of events before its last one: the body of a failed request, with a `type`. */
export const StreamFailure = Type.Object(
  { type: Type.Literal('error', { description: 'The name of the event' }), ...failed },
  {
    title: 'StreamFailure',
    description:
      'Ends a stream that cannot continue. The event has no id, so that clients continue after the one before',
  },
)

/** The body of every error; routes refer to it by name. */
export const ErrorAnswer = Type.Object(failed, {
  $id: 'Error',
  description: 'The body of every error',
  examples: [errorExample('prompt_not_found')],
})
