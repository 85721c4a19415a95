import { looseObject } from './any-object.js'
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
  name: Type.Optional(
    Type.String({ minLength: 1, description: 'For people; the id comes from the key or path' }),
  ),
  module: Type.Optional(
    Type.String({ description: 'Finds the base url; default: the first part of the id' }),
  ),
  type: Type.Optional(Type.Enum([...TOOL_TYPES], { description: 'Found from the connection when absent' })),
  description: Type.Optional(Type.String({ description: 'What it does; models read it' })),
  supports: Type.Optional(Type.Array(Type.String(), { description: 'Scenarios it is meant for' })),
  parameters: Type.Optional(parameters('Its arguments, in the order of positional ones')),
  returns: Type.Optional(parameters('What it answers; an answer that does not fit is warned of')),
  examples: Type.Optional(Type.Unknown({ description: 'For people' })),
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
        server: Type.Optional(Type.String({ minLength: 1, description: 'Name of a configured MCP server' })),
        tool: Type.Optional(Type.String({ minLength: 1 })),
      },
      { additionalProperties: true, description: 'A tool of an MCP server: `tool`, and `url` or `server`' },
    ),
  ),
  timeoutMs: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      description: 'Longest call, within `TOOL_TIMEOUT_MS` and the render limit',
    }),
  ),
  default: Type.Optional(Type.Unknown({ description: 'What a failed call yields' })),
  result: Type.Optional(Type.String({ description: 'Dotted path picked from the response' })),
  headers: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description: 'Values may reference secrets by name; they never contain them',
    }),
  ),
  readOnly: Type.Optional(Type.Boolean({ description: 'The call changes nothing' })),
  idempotent: Type.Optional(
    Type.Boolean({ description: 'Calls with the same Idempotency-Key have one effect' }),
  ),
  approval: Type.Optional(
    Type.Enum([...APPROVALS], {
      description: 'What is done with a call that a model asks for; templates are not asked',
    }),
  ),
  dedupeKey: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      description: 'Names of the arguments that tell calls apart; all of them when absent',
    }),
  ),
  cacheTtlMs: Type.Optional(
    Type.Number({
      minimum: 0,
      description: 'How long an answer is used again for equal arguments, of `readOnly` tools',
    }),
  ),
})
export type ToolDocument = Static<typeof ToolDocument>

const ofType = (type: string) => ({ properties: { type: { const: type } }, required: ['type'] })
const impliedBy = (part: string) => ({
  properties: { [part]: true, type: false, restful: false, ...(part === 'mcp' && { grpc: false }) },
  required: [part],
})
const withUrl = (part: string) => ({
  anyOf: [
    { properties: { url: true }, required: ['url'] },
    {
      properties: { [part]: { type: 'object', properties: { url: true }, required: ['url'] } },
      required: [part],
    },
  ],
})

/** What each type of tool needs. The service says it in words of its own, so this is for editors only. */
export const TOOL_NEEDS = {
  if: { anyOf: [ofType('grpc'), impliedBy('grpc')] },
  // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema has this name
  then: { properties: { grpc: true }, required: ['grpc'], ...withUrl('grpc') },
  else: { if: { anyOf: [ofType('mcp'), impliedBy('mcp')] }, else: withUrl('restful') },
} as const
