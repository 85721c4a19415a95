import type { FastifyRequest } from 'fastify'
import type { RenderRequest } from '../prompts/render.js'
import type { JsonObject } from '../util/json.js'
import { clientSignal, traceparentOf } from './request-context.js'

/** A prompt that was found or compiled, and the snapshot that goes with it. */
export type PromptToRender = Pick<RenderRequest, 'snapshot' | 'definition' | 'compiled' | 'notes'>

/** A render on behalf of an HTTP request. */
export function renderRequest(
  { snapshot, definition, compiled, notes }: PromptToRender,
  variables: JsonObject,
  request: FastifyRequest,
): RenderRequest {
  const { requestId, traceparent, scenario, clientSignal } = callerOf(request)
  // Written out: V8 makes slow objects of spreads that further fields follow.
  return { snapshot, definition, compiled, variables, scenario, requestId, traceparent, clientSignal, notes }
}

/** Who asks, and what for: under which ids it is logged, and whose leaving ends it. */
export function callerOf(request: FastifyRequest) {
  return {
    requestId: request.id,
    traceparent: traceparentOf(request),
    // The route's schema has checked it.
    scenario: (request.body as { readonly scenario?: string }).scenario,
    clientSignal: () => clientSignal(request),
  }
}
