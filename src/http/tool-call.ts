import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { ServiceError } from '../errors.js'
import type { Registry } from '../registry/registry.js'
import type { ToolEntry } from '../registry/snapshot.js'
import { errorAnswers, IdParams, ToolCallAnswer, ToolCallBody } from '../schema/api.js'
import { callWithValues } from '../tools/call-with-values.js'
import { type CatalogTool, catalogTools } from '../tools/catalog-tools.js'
import type { ToolCaller, ToolOutcome } from '../tools/tool.js'
import type { JsonValue } from '../util/json.js'
import { didYouMean, nearNames } from '../util/near-names.js'
import { toJsonText } from './json-text.js'
import { clientSignal, traceparentOf } from './request-context.js'

export interface ToolCallRouteOptions {
  readonly registry: Registry
  readonly caller: ToolCaller
  readonly enabled: boolean
  readonly timeoutMs: number
  /** Epoch milliseconds. */
  readonly now: () => number
}

/** `POST /api/tools/{id}/call`: tries one tool, through the same path and the same limits as a template. */
export function toolCallRoute(options: ToolCallRouteOptions): FastifyPluginAsync {
  const { registry, caller, enabled, timeoutMs, now } = options

  async function callTool(request: FastifyRequest): Promise<object> {
    if (!enabled)
      throw new ServiceError('forbidden', 'Calling tools is switched off by TOOL_CALL_ENABLED=false')
    const tool = findTool(registry, caller, (request.params as IdParams).id)
    request.logFields = { tool: tool.entry.id }
    const traceparent = traceparentOf(request)
    const outcome = await callWithValues(tool, valuesOf(request.body as ToolCallBody), {
      signal: clientSignal(request),
      deadlineAt: now() + timeoutMs,
      requestId: request.id,
      traceparent,
    })
    return toAnswer(tool.entry, outcome)
  }

  return async (server) => {
    server.post(
      '/api/tools/:id/call',
      {
        schema: {
          tags: ['catalog'],
          summary: 'Try a tool',
          description:
            'The same checks and limits as for a call from a template. A call that fails is an answer too: `status` is `failed`, and `substituted` is what a template would get.',
          params: IdParams,
          body: ToolCallBody,
          response: { 200: ToolCallAnswer, ...errorAnswers(400, 401, 404, 413, 415, 429, 503) },
        },
        preValidation: (request, _reply, done) => {
          if (request.body === undefined) request.body = {}
          done()
        },
        serializerCompiler: () => toJsonText,
      },
      callTool,
    )
  }
}

function findTool(registry: Registry, caller: ToolCaller, id: string): CatalogTool {
  if (!registry.status.ready) throw new ServiceError('not_ready', 'The catalog has not been loaded yet')
  const { tools } = registry.current
  const tool = catalogTools(registry.current, caller).get(id)
  if (tool !== undefined) return tool
  const near = nearNames(id, tools.ids())
  throw new ServiceError('tool_not_found', `No tool has the id ${JSON.stringify(id)}${didYouMean(near)}`, {
    param: 'id',
    ...(near.length > 0 ? { details: { near } } : {}),
  })
}

function valuesOf({ arguments: given = {} }: ToolCallBody): readonly JsonValue[] {
  // The schema says: parsed JSON, a list or an object.
  return (Array.isArray(given) ? given : [given]) as readonly JsonValue[]
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
  if (code === 'invalid_arguments') throw new ServiceError('invalid_request', message, { param: 'arguments' })
  return { status: 'failed', ...common, error: { code, message }, substituted }
}
