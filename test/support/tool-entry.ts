import type { ToolDefinition, ToolEntry } from '../../src/registry/snapshot.js'
import { callWithValues } from '../../src/tools/call-with-values.js'
import { toTool } from '../../src/tools/catalog-tools.js'
import type { ToolCaller, ToolOutcome } from '../../src/tools/tool.js'
import { DEFAULT_TOOL_SETTINGS, type ToolSettings } from '../../src/tools/tool-settings.js'
import type { CallContext } from '../../src/util/call-context.js'
import type { JsonObject, JsonValue } from '../../src/util/json/json.js'

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
    idempotent: false,
    approval: undefined,
    dedupeBy: undefined,
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
export function callOptions(changes: Partial<CallContext> = {}): CallContext {
  return {
    signal: new AbortController().signal,
    deadlineAt: Date.now() + 5_000,
    requestId: 'test-request',
    ...changes,
  }
}

/** Calls a tool as a template does, with values in order. */
export function callWith(
  caller: ToolCaller,
  entry: ToolEntry,
  values: readonly JsonValue[],
  context: CallContext,
  data: JsonObject = {},
): Promise<ToolOutcome> {
  return callWithValues(toTool(entry, caller, data), values, context)
}
