import { looseObject } from './any-object.js'
import { optional } from './optional.js'
import { JsonSchema, ParameterEntry } from './prompt.js'
import { type Static, Type } from './type.js'

const TOOL_TYPES = ['restful', 'grpc', 'mcp'] as const
const APPROVALS = ['allow', 'ask', 'deny'] as const

const parameters = (description: string) =>
  Type.Union([Type.Array(ParameterEntry), JsonSchema], { description })
const url = Type.String({
  minLength: 1,
  description: "Absolute, or a path that is resolved against the base url of the tool's module",
})

/** What the owner of a tool writes, in Redis or in a file, before normalisation. */
export const ToolDocument = looseObject({
  name: optional.text('Human-readable; the id comes from the key or path', { minLength: 1 }),
  module: optional.text('Finds the base url; default: the first part of the id'),
  type: Type.Optional(Type.Enum([...TOOL_TYPES], { description: 'Default: derived from the connection' })),
  description: optional.text('What it does; models read it'),
  supports: optional.texts('Scenarios it is meant for'),
  parameters: Type.Optional(parameters('Its arguments, in the order of positional ones')),
  returns: Type.Optional(parameters('Schema of the result; a result that does not fit is a warning')),
  examples: optional.any('Human-readable; not used by the service'),
  url: Type.Optional(url),
  restful: Type.Optional(
    Type.Object(
      { url: Type.Optional(url), method: Type.Optional(Type.String({ pattern: '^[A-Za-z]+$' })) },
      { additionalProperties: true, description: 'A REST call: `url` and `method`, default POST' },
    ),
  ),
  grpc: Type.Optional(
    Type.Object(
      {
        url: Type.Optional(url),
        method: Type.String({ minLength: 1, description: 'package.Service/Method' }),
      },
      { additionalProperties: true, description: 'A unary gRPC call: `url` and `method`' },
    ),
  ),
  mcp: Type.Optional(
    Type.Object(
      {
        url: Type.Optional(url),
        server: optional.text('Name of a configured MCP server', { minLength: 1 }),
        tool: Type.Optional(Type.String({ minLength: 1 })),
      },
      { additionalProperties: true, description: 'A tool of an MCP server: `tool`, and `url` or `server`' },
    ),
  ),
  timeoutMs: optional.number('Time limit of a call, within `TOOL_TIMEOUT_MS` and that of the render', {
    exclusiveMinimum: 0,
  }),
  default: optional.any('Result of a failed call'),
  result: optional.text('Dotted path picked from the response'),
  headers: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description: 'Values may reference secrets by name; they never contain them',
    }),
  ),
  readOnly: optional.flag('The call changes nothing'),
  idempotent: optional.flag('Calls with the same Idempotency-Key have one effect'),
  approval: Type.Optional(
    Type.Enum([...APPROVALS], {
      description:
        'Whether a call that a model requests runs, needs approval or is denied; calls of templates are not affected',
    }),
  ),
  dedupeKey: optional.texts('Names of the arguments that distinguish calls; default: all of them', {
    minLength: 1,
  }),
  cacheTtlMs: optional.number('How long a result is reused for equal arguments; `readOnly` tools only', {
    minimum: 0,
  }),
})
export type ToolDocument = Static<typeof ToolDocument>
