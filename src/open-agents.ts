import type { FastifyPluginAsync } from 'fastify'
import { HookExecutor } from './agents/hook-executor.js'
import { NO_AGENTS } from './agents/no-agents.js'
import type { AgentSource } from './agents/prepared-agent.js'
import { Sessions } from './agents/sessions/sessions.js'
import { observeTurns } from './agents/sessions/turn-metrics.js'
import { type Config, ConfigError } from './config.js'
import { agentUiRoutes } from './http/routes/agent-ui.js'
import { approvalRoutes } from './http/routes/approvals.js'
import { sessionRoutes } from './http/routes/sessions.js'
import { turnRoutes } from './http/routes/turns.js'
import type { Model } from './llm/model.js'
import { createState } from './state/create-state.js'
import type { StateStatus, StateStore } from './state/state-store.js'
import { systemClock } from './util/clock.js'
import type { Logger } from './util/logger.js'
import type { Metrics } from './util/metrics.js'

/** What sessions are made of, beside the configuration. */
export interface AgentParts {
  readonly logger: Logger
  readonly metrics: Metrics
  readonly model: Model
  /** Default: none. */
  readonly agents?: AgentSource | undefined
  /** Default: what `STATE_URL` asks for. */
  readonly state?: StateStore | undefined
  readonly hooks?: HookExecutor | undefined
  readonly pingMs?: number | undefined
}

/** Agents and their sessions, ready to be served. Whoever opens them closes them. */
export interface OpenAgents {
  readonly sessions: Sessions
  readonly state: StateStore
  readonly routes: readonly FastifyPluginAsync[]
  /** Resolves when it is known whether state may be written. */
  readonly ready: Promise<void>
  status(): StateStatus
  /** Ends what runs, then the connections to state. */
  close(): Promise<void>
}

/** Opens state and what lives in it. A store that is out of reach is no obstacle: what needs it answers 503. */
export function openAgents(config: Config, parts: AgentParts): OpenAgents {
  const { logger, metrics, model, pingMs } = parts
  const state = parts.state ?? openState(config, logger)
  const sessions = new Sessions({
    store: state,
    agents: parts.agents ?? NO_AGENTS,
    model,
    hooks: parts.hooks ?? new HookExecutor((event, err) => logger.error({ event, err }, 'a hook failed')),
    clock: systemClock,
    toolTimeoutMs: config.agentToolTimeoutMs,
    leaseMs: config.stateLeaseMs,
    observer: observeTurns(metrics, logger),
  })
  return {
    sessions,
    state,
    routes: [
      sessionRoutes({ sessions }),
      turnRoutes({ sessions, pingMs }),
      agentUiRoutes({ sessions, pingMs }),
      approvalRoutes({ desks: { session: sessions } }),
    ],
    ready: state.open(),
    status: () => state.status,
    async close() {
      await sessions.close()
      await state.close()
    },
  }
}

function openState(config: Config, logger: Logger): StateStore {
  const { stateUrl, redisUrl, keyPrefix, stateLeaseMs: leaseMs, sessionTtlMs: ttlMs } = config
  try {
    return createState({
      url: stateUrl ?? redisUrl,
      keyPrefix,
      leaseMs,
      ttlMs,
      logger,
      clock: systemClock,
    })
  } catch (error) {
    throw new ConfigError([`STATE_URL: ${(error as Error).message}`])
  }
}
