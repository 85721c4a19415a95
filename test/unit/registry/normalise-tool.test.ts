import { describe, expect, it } from 'vitest'
import { normaliseTool } from '../../../src/registry/normalise-tool.js'
import type { JsonObject, JsonValue } from '../../../src/util/json/json.js'

const PATH = ['codebase', 'find']
const read = (document: JsonValue) => normaliseTool(document, PATH)
const rest = (more: JsonObject = {}) => ({ url: '/find', ...more })

describe('normaliseTool', () => {
  it.each<[string, JsonObject, object]>([
    ['names from the key', rest(), { name: 'find', module: 'codebase', description: '', supports: [] }],
    ['its own names', rest({ name: 'n', module: 'm' }), { name: 'n', module: 'm' }],
    [
      'REST, by POST',
      rest(),
      { connection: { type: 'restful', url: '/find', method: 'POST' }, parameters: { type: 'object' } },
    ],
    [
      'a method in small letters',
      { restful: { url: '/x', method: 'get' } },
      { connection: { method: 'GET' } },
    ],
    [
      'gRPC from its part',
      { grpc: { url: 'host:1', method: 'a.B/C' } },
      { connection: { type: 'grpc', url: 'host:1', method: 'a.B/C' } },
    ],
    [
      'MCP by module',
      { type: 'mcp' },
      { connection: { type: 'mcp', url: undefined, server: 'codebase', tool: 'find' } },
    ],
    [
      'MCP by url',
      { mcp: { url: 'http://x/mcp', tool: 't' } },
      { connection: { type: 'mcp', url: 'http://x/mcp', server: undefined, tool: 't' } },
    ],
    [
      'nothing of how it may be called',
      rest(),
      { readOnly: false, idempotent: false, approval: undefined, dedupeBy: undefined, timeoutMs: undefined },
    ],
    [
      'how it may be called',
      rest({ readOnly: true, idempotent: true, approval: 'deny', dedupeKey: ['a'], timeoutMs: 5 }),
      { readOnly: true, idempotent: true, approval: 'deny', dedupeBy: ['a'], timeoutMs: 5 },
    ],
    [
      'empty texts as nothing',
      rest({ name: '', approval: '', result: '' }),
      { name: 'find', result: undefined },
    ],
    ['a default', rest({ default: 0 }), { fallback: 0 }],
    ['a default of null', rest({ default: null, returns: { default: 1 } }), { fallback: null }],
    ['the default of what it returns', rest({ returns: { default: 1 } }), { fallback: 1 }],
  ])('reads %s', (_name, document, expected) => expect(read(document)).toMatchObject(expected))

  it.each<[string, JsonValue, string]>([
    ['a text', 'tool', 'a tool must be an object'],
    ['REST without a url', {}, 'a restful tool needs url or restful.url'],
    ['gRPC without a url', { grpc: { method: 'a.B/C' } }, 'a grpc tool needs url or grpc.url'],
    ['an unknown approval', rest({ approval: 'maybe' }), 'approval'],
    ['a dedupeKey that is no list', rest({ dedupeKey: 'path' }), 'dedupeKey'],
    ['idempotent as a text', rest({ idempotent: 'yes' }), 'idempotent'],
  ])('refuses %s', (_name, document, message) => expect(() => read(document)).toThrow(message))

  it('needs a server for MCP', () =>
    expect(() => normaliseTool({ type: 'mcp' }, ['find'])).toThrow('mcp.url, mcp.server or a module'))
})
