import { ComposeItems } from './compose.js'
import { SCENARIOS } from './prompt.js'
import { type Static, Type } from './type.js'

/** Query of the four list endpoints. */
export const ListQuery = Type.Object({
  supports: Type.Optional(
    Type.String({ description: `Only those that support a scenario: ${SCENARIOS.join(', ')}` }),
  ),
  q: Type.Optional(
    Type.String({ description: 'Only those whose id, name or description contains this text' }),
  ),
  status: Type.Optional(
    Type.Enum(['broken'], { description: 'Only what has errors, with `diagnostics` in place of a summary' }),
  ),
  limit: Type.Integer({ minimum: 1, maximum: 10_000, default: 1_000, description: 'Items per page' }),
  cursor: Type.Optional(Type.String({ description: '`next_cursor` of the page before' })),
})
export type ListQuery = Static<typeof ListQuery>

export const IdParams = Type.Object({ id: Type.String({ minLength: 1, description: 'Dotted id' }) })
export type IdParams = Static<typeof IdParams>

const open = { additionalProperties: true } as const

/** A page of a list: sorted by id, `next_cursor` only when there is more. */
export const ListAnswer = Type.Object({
  items: Type.Array(
    Type.Object({ id: Type.String(), revision: Type.Union([Type.String(), Type.Null()]) }, open),
  ),
  total: Type.Integer({ description: 'How many match, on all pages' }),
  broken: Type.Integer({ description: 'How many have errors; `?status=broken` lists them' }),
  next_cursor: Type.Optional(Type.String()),
})

export const DetailAnswer = Type.Object(
  {
    id: Type.String(),
    revision: Type.Union([Type.String(), Type.Null()]),
    diagnostics: Type.Optional(
      Type.Array(Type.Object({}, open), { description: 'What is wrong with the document' }),
    ),
  },
  open,
)

export const EnvironAnswer = Type.Object({
  id: Type.String(),
  revision: Type.Optional(
    Type.Union([Type.String(), Type.Null()], { description: 'Only when the id is a key of its own' }),
  ),
  value: Type.Optional(Type.Unknown({ description: 'Absent where the document has no good version' })),
  diagnostics: Type.Optional(
    Type.Array(Type.Object({}, open), { description: 'What is wrong with the document' }),
  ),
})

const Variables = Type.Object({}, { ...open, description: 'What the templates read as `.variables`' })
const variables = {
  variables: Type.Optional(Variables),
  args: Type.Optional(Type.Object({}, { ...open, description: 'Alias of `variables`; give one of them' })),
}

/** Body of `POST /api/render/prompts/{id}`. */
export const RenderBody = Type.Object(
  { ...variables, compose: Type.Optional(ComposeItems) },
  {
    additionalProperties: false,
    default: {},
    examples: [{ variables: { repo: 'https://github.com/zgsm-ai/ai-prompt-shell' } }],
  },
)
export type RenderBody = Static<typeof RenderBody>

/** Body of `POST /api/render`: exactly one of `prompt` and `compose`. */
export const InlineRenderBody = Type.Object(
  {
    prompt: Type.Optional(Type.Object({}, { ...open, description: 'A prompt document, as in the catalog' })),
    compose: Type.Optional(ComposeItems),
    ...variables,
  },
  {
    additionalProperties: false,
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

/** Query of the render endpoints. */
export const RenderQuery = Type.Object({
  explain: Type.Boolean({
    default: false,
    description: 'Tell which variables and tools were used, and when',
  }),
  dry_run: Type.Boolean({
    default: false,
    description: 'Call no tool: placeholders take the results’ places',
  }),
})
export type RenderQuery = Static<typeof RenderQuery>

const span = { start_ms: Type.Number(), duration_ms: Type.Number() }
const Explanation = Type.Object(
  {
    dry_run: Type.Boolean(),
    variables: Type.Array(
      Type.Object({ path: Type.String(), found: Type.Boolean(), conditional: Type.Boolean() }, open),
    ),
    tools: Type.Array(
      Type.Object(
        {
          tool: Type.String(),
          function: Type.String(),
          arguments: Type.Unknown(),
          status: Type.Enum(['ok', 'failed', 'dry_run']),
          cached: Type.Boolean(),
          ...span,
        },
        open,
      ),
    ),
    tokens: Type.Integer({ description: 'Of the rendered prompt, in the o200k_base encoding' }),
    timeline: Type.Array(Type.Object({ name: Type.String(), ...span })),
  },
  { description: 'What happened while it rendered; only with `?explain=true`' },
)

export const RenderAnswer = Type.Object({
  status: Type.Literal('success'),
  kind: Type.Enum(['prompt', 'messages']),
  rendered_prompt: Type.Union([
    Type.String(),
    Type.Array(Type.Object({ role: Type.String(), content: Type.Unknown() }, open)),
  ]),
  warnings: Type.Optional(
    Type.Array(
      Type.Object({
        tool: Type.Optional(Type.String()),
        path: Type.Optional(Type.String({ description: 'What of the request it is about' })),
        code: Type.String({ description: '`unknown_variable`, `stale_prompt`, or why a tool failed' }),
        message: Type.String(),
        substituted: Type.Optional(Type.Unknown()),
      }),
      {
        description:
          'Tools that failed and what stands in their place, variables the prompt does not know, and a prompt that is older than its document',
      },
    ),
  ),
  explain: Type.Optional(Explanation),
})

/** Body of `POST /api/tools/{id}/call`. */
export const ToolCallBody = Type.Object(
  {
    arguments: Type.Optional(
      Type.Union([Type.Object({}, open), Type.Array(Type.Unknown())], {
        description: 'By name, or by position as a template gives them',
      }),
    ),
  },
  { additionalProperties: false, examples: [{ arguments: { symbol: 'CreateObject' } }] },
)
export type ToolCallBody = Static<typeof ToolCallBody>

export const ToolCallAnswer = Type.Object({
  status: Type.Enum(['success', 'failed']),
  tool: Type.String(),
  function: Type.String({ description: 'The name templates call' }),
  arguments: Type.Unknown({ description: 'As the tool got them: by name, with defaults' }),
  duration_ms: Type.Number(),
  value: Type.Optional(Type.Unknown()),
  cached: Type.Optional(Type.Boolean()),
  warnings: Type.Optional(Type.Array(Type.String())),
  error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
  substituted: Type.Optional(Type.Unknown()),
})

/** The body of every error; routes refer to it by name. */
export const ErrorAnswer = Type.Object(
  {
    status: Type.Literal('error'),
    error: Type.Object({
      message: Type.String(),
      type: Type.String({ description: 'The family of the code' }),
      code: Type.String({ description: 'Stable name to branch on; the README lists them all' }),
      param: Type.Union([Type.String(), Type.Null()], { description: 'Which part of the request is wrong' }),
      details: Type.Optional(Type.Unknown({ description: 'Structured facts, such as every violation' })),
    }),
    request_id: Type.String(),
  },
  {
    $id: 'Error',
    examples: [
      {
        status: 'error',
        error: {
          message: 'No prompt has the id "evaluator.evaluate". Did you mean "evaluator.evaluate_quality"?',
          type: 'not_found_error',
          code: 'prompt_not_found',
          param: 'id',
          details: { near: ['evaluator.evaluate_quality'] },
        },
        request_id: 'req-5f2b8c-1',
      },
    ],
  },
)

const ERROR_MEANINGS = {
  400: 'The request is wrong; `error.code` and `error.details` say how',
  401: 'No known API key',
  403: 'Not permitted',
  404: 'Not found; near names are suggested',
  409: 'It does not fit what is there: busy, decided, taken, or used up',
  413: 'The body is too large',
  415: 'The body is not JSON',
  429: 'Rate limited; see `Retry-After`',
  500: 'The template failed, or the service did',
  502: 'The model failed',
  503: 'Not ready, overloaded, or the render hit a limit',
} as const

/** Documents error answers of a route, by status. */
export function errorAnswers(...statuses: readonly (keyof typeof ERROR_MEANINGS)[]): Record<number, unknown> {
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: ERROR_MEANINGS[status],
        content: { 'application/json': { schema: { $ref: 'Error#' } } },
      },
    ]),
  )
}
