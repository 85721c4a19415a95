import { ToolDocument } from '../schema/tool.js'
import type { JsonObject, JsonValue } from '../util/json/json.js'
import { isJsonObject, own } from '../util/json/json.js'
import {
  listField,
  numberField,
  objectField,
  textEntries,
  textField,
  textsOf,
} from '../util/json/json-fields.js'
import { createShapeCheck, type ShapeCheck } from './check-shape.js'
import { DocumentError } from './fault.js'
import { normaliseParameters, normaliseReturns, withoutEmptyEntries } from './normalise-parameters.js'
import type { ToolDefinition } from './snapshot.js'
import { withoutEmpty } from './without-empty.js'

const CODE = 'invalid_tool'
const checkShape: ShapeCheck<ToolDocument> = createShapeCheck(CODE, ToolDocument)
/** Texts that programs write empty when they mean none. */
const EMPTY_TEXTS: ReadonlySet<string> = new Set([
  'name',
  'type',
  'url',
  'result',
  'method',
  'server',
  'tool',
  'approval',
])
/** A failed call may well yield null. */
const MEANINGFUL_NULLS: ReadonlySet<string> = new Set(['default'])
const LISTS: ReadonlySet<string> = new Set(['parameters', 'returns'])
const PARTS: ReadonlySet<string> = new Set(['restful', 'grpc', 'mcp', 'headers'])

/**
 * A tool as its owner wrote it, in the one form that the service works with.
 *
 * @param path the parts of its key, which name it and its module when the document does not
 * @throws DocumentError
 */
export function normaliseTool(value: JsonValue, path: readonly string[]): ToolDefinition {
  if (!isJsonObject(value)) throw new DocumentError(CODE, 'a tool must be an object')
  return definitionOf(withoutEmptyParts(value), path)
}

function withoutEmptyParts(document: JsonObject): JsonObject {
  const entries = Object.entries(withoutEmpty(document, { nullable: MEANINGFUL_NULLS, texts: EMPTY_TEXTS }))
  return Object.fromEntries(entries.map(([name, value]) => [name, withoutEmptyMembers(name, value)]))
}

function withoutEmptyMembers(name: string, value: JsonValue): JsonValue {
  if (LISTS.has(name)) return withoutEmptyEntries(value)
  return PARTS.has(name) && isJsonObject(value) ? withoutEmpty(value, { texts: EMPTY_TEXTS }) : value
}

function definitionOf(value: JsonObject, path: readonly string[]): ToolDefinition {
  checkShape(value)
  const name = textField(value, 'name') ?? path.at(-1) ?? ''
  const module = textField(value, 'module') ?? (path.length > 1 ? path[0] : undefined) ?? ''
  const returns = normaliseReturns(CODE, own(value, 'returns'))
  return {
    name,
    module,
    description: textField(value, 'description') ?? '',
    supports: textsOf(listField(value, 'supports')),
    parameters: normaliseParameters(CODE, 'parameters', own(value, 'parameters')),
    returns,
    connection: connectionOf(value, name, module),
    headers: textEntries(objectField(value, 'headers')),
    timeoutMs: numberField(value, 'timeoutMs'),
    fallback: Object.hasOwn(value, 'default') ? own(value, 'default') : returns && own(returns, 'default'),
    result: textField(value, 'result'),
    readOnly: own(value, 'readOnly') === true,
    idempotent: own(value, 'idempotent') === true,
    approval: approvalOf(value),
    dedupeBy: dedupeKeyOf(value),
    cacheTtlMs: numberField(value, 'cacheTtlMs'),
  }
}

function approvalOf(value: JsonObject): ToolDefinition['approval'] {
  const approval = own(value, 'approval')
  return approval === 'allow' || approval === 'ask' || approval === 'deny' ? approval : undefined
}

function dedupeKeyOf(value: JsonObject): readonly string[] | undefined {
  return own(value, 'dedupeKey') === undefined ? undefined : textsOf(listField(value, 'dedupeKey'))
}

function connectionOf(value: JsonObject, name: string, module: string): ToolDefinition['connection'] {
  switch (typeOf(value)) {
    case 'restful':
      return {
        type: 'restful',
        url: urlOf(value, 'restful'),
        method: (textField(objectField(value, 'restful'), 'method') ?? 'POST').toUpperCase(),
      }
    case 'grpc':
      return { type: 'grpc', url: urlOf(value, 'grpc'), method: grpcMethod(value) }
    case 'mcp':
      return mcpConnection(value, name, module)
  }
}

function typeOf(value: JsonObject): ToolDefinition['connection']['type'] {
  const type = own(value, 'type')
  if (type === 'restful' || type === 'grpc' || type === 'mcp') return type
  if (own(value, 'restful') === undefined && own(value, 'grpc') !== undefined) return 'grpc'
  return own(value, 'restful') === undefined && own(value, 'mcp') !== undefined ? 'mcp' : 'restful'
}

function mcpConnection(value: JsonObject, name: string, module: string): ToolDefinition['connection'] {
  const mcp = objectField(value, 'mcp')
  const url = textField(mcp, 'url') ?? textField(value, 'url')
  const server = textField(mcp, 'server') ?? (url === undefined && module !== '' ? module : undefined)
  if (url === undefined && server === undefined)
    throw new DocumentError(CODE, 'an mcp tool needs mcp.url, mcp.server or a module')
  return { type: 'mcp', url, server, tool: textField(mcp, 'tool') ?? name }
}

function urlOf(value: JsonObject, type: 'restful' | 'grpc'): string {
  const url = textField(objectField(value, type), 'url') ?? textField(value, 'url')
  if (url === undefined) throw new DocumentError(CODE, `a ${type} tool needs url or ${type}.url`)
  return url
}

function grpcMethod(value: JsonObject): string {
  const method = textField(objectField(value, 'grpc'), 'method')
  if (method === undefined) throw new DocumentError(CODE, 'a grpc tool needs grpc.method')
  return method
}
