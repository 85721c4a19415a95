import { HookExecutor } from '../../src/agents/hook-executor.js'
import { HookedModel } from '../../src/agents/hooked-model.js'
import type { PreparedAgent } from '../../src/agents/prepared-agent.js'
import { type SessionRuntime, UNOBSERVED } from '../../src/agents/sessions/session-runtime.js'
import { Sessions } from '../../src/agents/sessions/sessions.js'
import type { AnsweringModel } from '../../src/llm/model.js'
import type { StateStore } from '../../src/state/state-store.js'
import type { LocalTool } from '../../src/tools/local-tool.js'
import { systemClock } from '../../src/util/time/clock.js'
import { testAgent } from './task-setup.js'

export interface OpenSessionsOptions extends Partial<Omit<SessionRuntime, 'store' | 'model'>> {
  readonly store: StateStore
  readonly model: AnsweringModel
  readonly tools?: readonly LocalTool[]
  readonly agent?: Partial<PreparedAgent>
}

/** Sessions of one process over a store of a test, without HTTP and a catalog; every session has the same agent. */
export function openTestSessions({
  store,
  model,
  tools = [],
  agent = {},
  ...more
}: OpenSessionsOptions): Sessions {
  const hooks = new HookExecutor()
  return new Sessions({
    store,
    model: HookedModel.of(model, hooks),
    agents: { prepare: async () => testAgent(tools, agent) },
    hooks,
    clock: systemClock,
    toolTimeoutMs: 60_000,
    leaseMs: 10_000,
    observer: UNOBSERVED,
    ...more,
  })
}

/** What a turn of these tests begins with. */
export function turnRequest(content: string, stream = false) {
  return {
    input: { content, stream, limits: {} },
    call: { requestId: 'test' },
  }
}
