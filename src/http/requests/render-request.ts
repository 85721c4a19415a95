import type { FastifyRequest } from 'fastify'
import type { RenderRequest } from '../../prompts/render-request.js'
import type { JsonObject, JsonValue } from '../../util/json/json.js'
import { callOf } from './request-context.js'

/** A prompt that was found or compiled, and the snapshot that goes with it. */
export type PromptToRender = Pick<
  RenderRequest,
  'snapshot' | 'prompt' | 'served' | 'definition' | 'compiled' | 'notes' | 'reach'
>

/** What every body of a render says. */
interface Purpose {
  readonly scenario?: JsonValue
}

/** A render on behalf of an HTTP request. */
export function renderRequest(
  { snapshot, prompt, served, definition, compiled, notes, reach }: PromptToRender,
  variables: JsonObject,
  request: FastifyRequest<{ Body: Purpose }>,
): RenderRequest {
  // Written out: V8 makes slow objects of spreads that further fields follow.
  const { scenario, call, isNew } = callerOf(request)
  return { snapshot, prompt, served, definition, compiled, variables, scenario, call, isNew, notes, reach }
}

/** Who asks, and what for. */
export function callerOf(
  request: FastifyRequest<{ Body: Purpose }>,
): Pick<RenderRequest, 'call' | 'scenario'> & { readonly isNew: true } {
  const { scenario } = request.body
  return { call: callOf(request), scenario: typeof scenario === 'string' ? scenario : undefined, isNew: true }
}
