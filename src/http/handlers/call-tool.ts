import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../../errors.js'
import type { Registry } from '../../registry/registry.js'
import type { ToolEntry } from '../../registry/snapshot.js'
import type { IdParams, ToolCallBody } from '../../schema/api.js'
import { callWithValues } from '../../tools/call-with-values.js'
import { catalogTools } from '../../tools/catalog-tools.js'
import type { ToolCaller, ToolOutcome } from '../../tools/tool.js'
import { endingBy } from '../../util/call-context.js'
import { invalidInput } from '../../util/errors/invalid-input.js'
import type { JsonValue } from '../../util/json/json.js'
import { isJsonList } from '../../util/json/json-fields.js'
import { unknown } from '../catalog/details.js'
import { TOOLS } from '../catalog/shelf.js'
import { callOf } from '../requests/request-context.js'

/** What trying a tool needs. */
export interface CallToolDependencies {
  readonly registry: Registry
  readonly caller: ToolCaller
  /** False refuses every call. */
  readonly enabled: boolean
  readonly timeoutMs: number
  /** Epoch milliseconds. */
  readonly now: () => number
}

/** Tries one tool. @throws ServiceError `forbidden`, `tool_not_found`, `invalid_request` for bad arguments */
export function tryTool({ registry, caller, enabled, timeoutMs, now }: CallToolDependencies) {
  return async (
    request: FastifyRequest<{ Params: IdParams; Body: ToolCallBody | null }>,
  ): Promise<object> => {
    if (!enabled)
      throw new ServiceError('forbidden', 'Calling tools is switched off by TOOL_CALL_ENABLED=false')
    const { id } = request.params
    const snapshot = registry.current
    const tool = catalogTools(snapshot, caller).get(id)
    if (tool === undefined) throw unknown(snapshot, TOOLS, id)
    request.logFields = { tool: tool.entry.id }
    const call = endingBy(callOf(request), now() + timeoutMs)
    const outcome = await callWithValues(tool, valuesOf(request.body ?? {}), call)
    return toAnswer(tool.entry, outcome)
  }
}

function valuesOf({ arguments: given = {} }: ToolCallBody): readonly JsonValue[] {
  return isJsonList(given) ? given : [given]
}

function toAnswer({ id, functionName }: ToolEntry, outcome: ToolOutcome): object {
  const common = {
    tool: id,
    function: functionName,
    arguments: outcome.arguments ?? null,
    duration_ms: outcome.durationMs,
  }
  if (outcome.ok) {
    const { value, cached, warnings } = outcome
    return { status: 'success', ...common, value, cached, ...(warnings.length === 0 ? {} : { warnings }) }
  }
  const { code, message, substituted } = outcome
  if (code === 'invalid_arguments') throw invalidInput('arguments', message)
  return { status: 'failed', ...common, error: { code, message }, substituted }
}
