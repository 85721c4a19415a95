import type { ToolDefinition, ToolEntry } from '../../src/registry/snapshot.js'
import type { ToolCallOptions } from '../../src/tools/tool.js'
import { DEFAULT_TOOL_SETTINGS, type ToolSettings } from '../../src/tools/tool-settings.js'

/** A tool with one text parameter, and whatever a test changes. */
export function toolEntry(id: string, changes: Partial<ToolDefinition>): ToolEntry {
  const definition: ToolDefinition = {
    name: id.split('.').at(-1) ?? id,
    module: id.split('.')[0] ?? id,
    description: '',
    supports: [],
    parameters: { type: 'object', properties: { text: { type: 'string' } } },
    returns: undefined,
    connection: { type: 'restful', url: '/', method: 'POST' },
    headers: {},
    timeoutMs: undefined,
    fallback: undefined,
    result: undefined,
    readOnly: false,
    cacheTtlMs: undefined,
    ...changes,
  }
  return {
    id,
    functionName: id.replaceAll('.', '_'),
    origin: 'direct',
    revision: 'r1',
    location: `test:${id}`,
    document: {},
    definition,
  }
}

/** Settings that allow loopback. */
export function loopbackSettings(changes: Partial<ToolSettings> = {}): ToolSettings {
  return { ...DEFAULT_TOOL_SETTINGS, allowedHosts: ['127.0.0.1:*'], ...changes }
}

/** A call with five seconds of time. */
export function callOptions(changes: Partial<ToolCallOptions> = {}): ToolCallOptions {
  return {
    signal: new AbortController().signal,
    deadline: Date.now() + 5_000,
    requestId: 'test-request',
    context: {},
    ...changes,
  }
}
