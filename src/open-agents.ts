import type { FastifyPluginAsync } from 'fastify'
import type { ChatModels } from './agents/chat-models.js'
import { HookedModel } from './agents/hooked-model.js'
import { NO_AGENTS } from './agents/no-agents.js'
import type { AgentSource } from './agents/prepared-agent.js'
import { Sessions } from './agents/sessions/sessions.js'
import { observeDecisions, observeTurns } from './agents/sessions/turn-metrics.js'
import type { Config } from './config.js'
import { agentUiRoutes } from './http/routes/agent-ui.js'
import { approvalRoutes } from './http/routes/approvals.js'
import { conversationRoutes } from './http/routes/conversations.js'
import { responseRoutes } from './http/routes/responses.js'
import { sessionContextRoutes } from './http/routes/session-contexts.js'
import { sessionMemoryRoutes } from './http/routes/session-memory.js'
import { sessionRoutes } from './http/routes/sessions.js'
import { taskRoutes } from './http/routes/tasks.js'
import { turnRoutes } from './http/routes/turns.js'
import { openState } from './open-state.js'
import { openTasks, type TaskParts } from './open-tasks.js'
import { Conversations } from './responses/conversations.js'
import { Responses } from './responses/responses.js'
import { observeLeases } from './state/lease-observer.js'
import { createOwnedSessions } from './state/owned-sessions.js'
import type { StateStatus, StateStore } from './state/state-store.js'
import type { TaskEngineStatus } from './tasks/engine/task-engine.js'
import type { Tasks } from './tasks/tasks.js'
import { jsonObject } from './util/json/json-fields.js'
import { systemClock } from './util/time/clock.js'

/** What sessions and tasks are made of, beside the configuration. */
export interface AgentParts extends Omit<TaskParts, 'agents' | 'state' | 'leases' | 'decided'> {
  /** Default: none. */
  readonly agents?: AgentSource | undefined
  /** Default: what `STATE_URL` asks for. */
  readonly state?: StateStore | undefined
  readonly pingMs?: number | undefined
  /** Whether no other process serves the same clients: then state may be in memory. Default: true. */
  readonly isAlone?: boolean
  /** What answers chats with tools, protocols and agents. */
  readonly chatModels: ChatModels
  /** Whether a model's upstream has the responses interface. Default: none has. */
  readonly supportsResponses?: (model: string) => boolean
}

/** Agents, their sessions and tasks, ready to be served. The caller closes them. */
export interface OpenAgents {
  readonly sessions: Sessions
  readonly tasks: Tasks
  /** Responses that are kept. */
  readonly responses: Responses
  readonly state: StateStore
  readonly routes: readonly FastifyPluginAsync[]
  /** Resolves when it is known whether state may be written. */
  readonly ready: Promise<void>
  status(): StateStatus
  taskStatus(): TaskEngineStatus
  /** Begins no task from now on. */
  stop(): void
  /** Starts nothing more, and lets running work continue, side by side, up to the deadline; then it is given back or ended. */
  drain(deadlineMs: number): Promise<void>
  /** Ends what runs, then the connections to state. */
  close(): Promise<void>
}

const NOT_SHARED = 'it would be in the memory of one worker: set STATE_URL, or WORKERS=1'

/** Opens state and what lives in it. A store that is out of reach does not keep the service from starting: requests that need it are 503. */
export async function openAgents(config: Config, parts: AgentParts): Promise<OpenAgents> {
  const { logger, metrics, guards, hooks, pingMs, webhooks } = parts
  const { isAlone = true } = parts
  const state = createOwnedSessions(
    parts.state ?? (await openState(config, logger, isAlone ? undefined : NOT_SHARED)),
  )
  const agents = parts.agents ?? NO_AGENTS
  const leases = observeLeases(metrics, logger)
  const decided = observeDecisions(metrics, logger)
  const { tasks, status: taskStatus } = await openTasks(config, {
    ...parts,
    ...{ agents, state, leases, decided },
  })
  const sessions = new Sessions({
    store: state,
    agents,
    model: HookedModel.of(parts.model, hooks),
    hooks,
    clock: systemClock,
    toolTimeoutMs: config.agentToolTimeoutMs,
    leaseMs: config.stateLeaseMs,
    continuesTurns: config.continueTurns,
    observer: {
      ...observeTurns(metrics, guards, logger),
      decided,
      settled: (turn) => webhooks?.send(`turn.${turn.status}`, jsonObject({ ...turn })),
    },
    leases,
    tracer: parts.tracer,
  })
  const responses = new Responses({
    store: state,
    model: parts.model,
    supportsResponses: parts.supportsResponses ?? (() => false),
    models: parts.chatModels,
    registry: parts.registry,
    clock: systemClock,
    policy: config.responsesStore,
    leaseMs: config.stateLeaseMs,
    continuesTurns: config.continueTurns,
    ...{ leases, logger },
  })
  let drained: Promise<unknown> | undefined
  const drain = async (deadlineMs: number) => {
    drained ??= Promise.all([
      sessions.close(deadlineMs),
      tasks.close(deadlineMs),
      responses.close(deadlineMs),
    ])
    await drained
  }
  return {
    sessions,
    tasks,
    responses,
    state,
    routes: [
      sessionRoutes({ sessions }),
      sessionMemoryRoutes({ sessions }),
      sessionContextRoutes({ sessions }),
      turnRoutes({ sessions, pingMs }),
      agentUiRoutes({ sessions, pingMs }),
      taskRoutes({ tasks, pingMs }),
      responseRoutes({ responses, pingMs }),
      conversationRoutes({ conversations: new Conversations(responses) }),
      approvalRoutes({ handlers: { session: sessions, task: tasks }, pingMs }),
    ],
    // A task that is taken up before the catalog is there would look for its agent in vain.
    ready: Promise.all([state.open(), parts.registry.whenReady()]).then(() => {
      const { warning } = state.status
      if (warning !== undefined) logger.warn({ warning }, 'state may be lost')
      tasks.start()
      sessions.start()
      responses.watch()
    }),
    status: () => state.status,
    taskStatus,
    stop: () => tasks.stop(),
    drain,
    async close() {
      await drain(0)
      await state.close()
    },
  }
}
