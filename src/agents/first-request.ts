import type { Message } from '../conversation/message.js'
import { ServiceError } from '../errors.js'
import type { AnsweringModel, ModelRequest } from '../llm/model.js'
import type { CallContext } from '../util/call-context.js'
import { HookExecutor } from './hook-executor.js'
import type { PreparedAgent } from './prepared-agent.js'
import { runAgent } from './run-agent.js'

/**
 * What the model of an agent is asked first in a turn without a session; no model is called.
 *
 * @throws ServiceError where the turn fails before it asks
 */
export async function firstRequest(
  agent: PreparedAgent,
  messages: readonly Message[],
  call: CallContext,
): Promise<ModelRequest> {
  let asked: ModelRequest | undefined
  const refuse = (request: ModelRequest): Promise<never> => {
    asked ??= request
    return Promise.reject(new ServiceError('client_closed_request', 'No model is called'))
  }
  const model: AnsweringModel = { complete: refuse, stream: refuse }
  const run = runAgent({ agent, messages, call, model, hooks: new HookExecutor(), streamed: false })
  const failure: unknown = await run.result.catch((error: unknown) => error)
  if (asked === undefined) throw failure
  return asked
}
