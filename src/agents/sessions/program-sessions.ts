import { randomUUID } from 'node:crypto'
import { type ContentPart, isMessage, type Message, messageText } from '../../conversation/message.js'
import { ServiceError } from '../../errors.js'
import type { AnsweringModel } from '../../llm/model.js'
import { modelNameOf } from '../../llm/model-name.js'
import type { RecordAddress } from '../../state/contract/record-state.js'
import type { FollowedItem } from '../../state/logged-event.js'
import { createMemoryState } from '../../state/memory-state.js'
import type { SessionStore } from '../../state/state-store.js'
import { NO_TOOLS, type Toolbox } from '../../tools/toolbox.js'
import { Cancellation } from '../../util/cancellation.js'
import { assertKnownOptions, type OptionNames } from '../../util/errors/known-options.js'
import { unknownName } from '../../util/errors/unknown-name.js'
import { type CamelCase, camelCase } from '../../util/text/camel-case.js'
import { systemClock } from '../../util/time/clock.js'
import type { Agent } from '../agent.js'
import { type AgentConfig, settleConfig } from '../agent-config.js'
import { turnEventOf } from '../cycle/read-turn-event.js'
import type { WireApproval, WireTurnResult } from '../cycle/turn-event.js'
import { HookExecutor } from '../hook-executor.js'
import { HookedModel } from '../hooked-model.js'
import type { AgentSource } from '../prepared-agent.js'
import { toPreparedAgent } from '../program-agent.js'
import type { ProgramEvent } from '../program-run.js'
import type { ApprovalAnswer } from './approvals.js'
import type { WireContext } from './contexts.js'
import { UNOBSERVED } from './session-runtime.js'
import type { StartedTurn } from './session-turns.js'
import { Sessions, type WireSession } from './sessions.js'
import type { TurnOutcome } from './turn-outcome.js'

/** Sessions of a program, and where they live. */
export interface ProgramSessionsOptions {
  readonly provider: AnsweringModel
  /** Who may answer, by name; the first where a session names none. */
  readonly agents: readonly Agent[]
  readonly tools?: Toolbox
  readonly hooks?: HookExecutor
  /** As of an `AgentBuilder`, but for what belongs to one process: `approve`, `maxTurns` and `sessionTtl`. */
  readonly config?: Partial<Omit<AgentConfig, 'approve' | 'maxTurns' | 'sessionTtl'>>
  /**
   * Default: this process's memory, where a session stays until it is removed. `redisUrl`: any process with the same
   * agents continues a session, also after a crash. Or a store of your own, which you close.
   */
  readonly state?: SessionStore | { readonly redisUrl: string; readonly keyPrefix?: string } | undefined
  /** How long a turn of a process that is gone waits for another, in milliseconds. Default 10,000. */
  readonly leaseMs?: number
  /** How long a session in Redis stays after its last use, in milliseconds. Default seven days. */
  readonly ttlMs?: number
}

const OPTION_NAMES: OptionNames<Required<ProgramSessionsOptions>> = {
  ...{ provider: true, agents: true, tools: true, hooks: true, config: true, state: true },
  ...{ leaseMs: true, ttlMs: true },
}
const CONFIG_NAMES: OptionNames<Required<NonNullable<ProgramSessionsOptions['config']>>> = {
  ...{ maxToolTurns: true, compactConfig: true, model: true, parameters: true, protocol: true },
  ...{ toolTimeoutMs: true, answer: true, agentRole: true, guards: true, limits: true, onLimit: true },
  ...{ permission: true, prompts: true },
}
const LEASE_MS = 10_000
const TTL_MS = 7 * 24 * 3_600_000
const TOOL_TIMEOUT_MS = 60_000
const A_CENTURY_MS = 100 * 365 * 24 * 3_600_000
const OWNER = '-'

/** A question to a person, in the names of programs. */
export type ProgramApproval = CamelCase<WireApproval>

/** The state of a session, in the names of programs. */
export type ProgramSessionState = CamelCase<WireSession>

/** A conversation of a session, in the names of programs. */
export type ProgramContext = CamelCase<WireContext>

/** How a turn ended, or that it waits for people. */
export type ProgramTurn =
  | (CamelCase<WireTurnResult> & { readonly text: string })
  | { readonly status: 'paused'; readonly turn: number; readonly approvals: readonly ProgramApproval[] }
  | { readonly status: 'cancelled'; readonly turn: number }

/** Sessions that outlive their turns, and with Redis the program that made them. */
export interface ProgramSessions {
  /** The session of this id, created if it is missing; without an id a new one. @param agent for a new one */
  open(id?: string, agent?: string): Promise<ProgramSession>
  /** Takes no more turns, lets running ones continue for up to this many milliseconds, and closes what was opened here. */
  close(withinMs?: number): Promise<void>
}

/**
 * Opens sessions like those of the service, with leases, takeovers, approvals and event logs. The caller closes them.
 *
 * @throws ServiceError `invalid_config`, RedisUrlError
 */
export async function openSessions(options: ProgramSessionsOptions): Promise<ProgramSessions> {
  assertKnownOptions('openSessions', options, OPTION_NAMES)
  const { provider, hooks = new HookExecutor(), leaseMs = LEASE_MS, config = {} } = options
  assertKnownOptions('config of openSessions', config, CONFIG_NAMES)
  const [first] = options.agents
  if (first === undefined) throw new ServiceError('invalid_config', 'Missing agents: name at least one')
  const store = await openStore(options, leaseMs)
  const sessions = new Sessions({
    store,
    agents: agentsOf(options),
    model: HookedModel.of(provider, hooks),
    hooks,
    clock: systemClock,
    toolTimeoutMs: config.toolTimeoutMs ?? TOOL_TIMEOUT_MS,
    leaseMs,
    continuesTurns: true,
    observer: UNOBSERVED,
  })
  await store.open()
  sessions.start()
  return {
    async open(id = randomUUID(), agent = first.name) {
      const address: RecordAddress = { kind: 'session', id, owner: OWNER }
      try {
        await sessions.create({ owner: OWNER, id, agent, variables: {} }, newCall())
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code !== 'already_exists') throw error
      }
      return new ProgramSession(sessions, address)
    },
    async close(withinMs = 0) {
      await sessions.close(withinMs)
      if (store !== options.state) await store.close()
    },
  }
}

/** One conversation, by its id: any handle, in any process that shares its state, is the same session. */
export class ProgramSession {
  readonly id: string
  readonly #sessions: Sessions
  readonly #address: RecordAddress

  constructor(sessions: Sessions, address: RecordAddress) {
    this.id = address.id
    this.#sessions = sessions
    this.#address = address
  }

  /**
   * Says something to the agent, and waits until it has answered or asks a person.
   *
   * @throws ServiceError `session_busy` and, of a turn that fails, its error
   */
  async submitTurn(input: string | readonly ContentPart[]): Promise<ProgramTurn> {
    return toTurn(await this.#start(input, false))
  }

  /** Runs a turn as a stream of events: up to the answer, or to the first question. */
  async *streamTurn(input: string | readonly ContentPart[]): AsyncGenerator<ProgramEvent, ProgramTurn> {
    const started = await this.#start(input, true)
    yield* toEvents(started.events)
    return toTurn(started)
  }

  /** What happens in a turn from its first event to its last, wherever it runs; over questions, too. */
  async *followTurn(turn: number): AsyncGenerator<ProgramEvent, void> {
    const left = new Cancellation()
    try {
      yield* toEvents(await this.#sessions.turns.follow(this.#address, turn, undefined, left.signal))
    } finally {
      left.abort()
    }
  }

  /** Questions to people, with every status. */
  async approvals(): Promise<readonly ProgramApproval[]> {
    return (await this.#sessions.approvals(this.#address)).map((each) => camelCase(each))
  }

  /**
   * Resolves an approval. When the last one is resolved, the turn resumes in this process; follow it with `followTurn`.
   *
   * @throws ServiceError `approval_not_found`, `approval_conflict`, `invalid_request` for an edit the tool does not take
   */
  async decide(approval: string, answer: boolean | ApprovalAnswer): Promise<ProgramApproval> {
    const decision: ApprovalAnswer =
      typeof answer === 'object' ? answer : { decision: answer ? 'approve' : 'reject' }
    return camelCase(await this.#sessions.decide(OWNER, approval, decision, newCall()))
  }

  /** Ends a turn, wherever it runs. */
  async cancelTurn(turn: number): Promise<void> {
    await this.#sessions.turns.cancel(this.#address, turn)
  }

  /** The conversation so far. */
  async messages(): Promise<readonly Message[]> {
    const { items } = await this.#sessions.messages(this.#address, {})
    return items.map((item) => item['message']).filter(isMessage)
  }

  /** Another agent continues the active conversation; a note in its first request says so. @throws ServiceError `agent_not_found`, `session_busy` */
  async switchAgent(agent: string): Promise<void> {
    await this.#sessions.switchAgent(this.#address, agent, newCall())
  }

  /** Its state: who answers, whether a turn runs or waits, and what all turns have used. */
  async read(): Promise<ProgramSessionState> {
    return camelCase(await this.#sessions.read(this.#address))
  }

  /** The conversations of this session, each with an agent and messages of its own; `main` is the first. */
  async contexts(): Promise<readonly ProgramContext[]> {
    return (await this.#sessions.contexts.list(this.#address)).map((each) => camelCase(each))
  }

  /** Begins a conversation beside the others. @throws ServiceError `agent_not_found`, `already_exists`, `session_busy` */
  async createContext(id: string, agent: string): Promise<void> {
    await this.#sessions.contexts.create(this.#address, id, agent, newCall())
  }

  /** Makes a conversation the one that turns go to. @throws ServiceError `context_not_found`, `session_busy` */
  async switchContext(id: string): Promise<void> {
    await this.#sessions.contexts.switch(this.#address, id)
  }

  /** Forgets a conversation. @throws ServiceError `context_not_found`, `session_busy`, `invalid_request` for the active one */
  async destroyContext(id: string): Promise<void> {
    await this.#sessions.contexts.destroy(this.#address, id)
  }

  /**
   * Puts a summary of one conversation into the memory, where the others read it.
   *
   * @param summary default: the agent of `from` writes it, at the session's expense
   * @returns what was put there
   * @throws ServiceError `context_not_found`, `session_busy`, and as the model does
   */
  async bridge(from: string, to: string, summary?: string): Promise<string> {
    const request = { from, to, ...(summary !== undefined && { summary }) }
    return (await this.#sessions.contexts.bridge(this.#address, request, newCall())).summary
  }

  /** Remembers a text under a key; the model sees it from the next turn on. */
  setData(key: string, value: string): Promise<void> {
    return this.#sessions.memory.set(this.#address, key, value)
  }

  async getData(key: string): Promise<string | undefined> {
    return (await this.#sessions.memory.read(this.#address)).get(key)
  }

  /** Forgets the session. @throws ServiceError `session_busy` */
  remove(): Promise<void> {
    return this.#sessions.remove(this.#address)
  }

  #start(input: string | readonly ContentPart[], stream: boolean): Promise<StartedTurn> {
    return this.#sessions.turns.start(this.#address, {
      input: { content: input, stream, limits: {} },
      call: { requestId: randomUUID() },
    })
  }
}

/** Agents of a program as sessions take them. */
function agentsOf({ agents, provider, tools = NO_TOOLS, config = {} }: ProgramSessionsOptions): AgentSource {
  const settled = settleConfig(config, modelNameOf(provider, config.model))
  const byName = new Map(agents.map((agent) => [agent.name, agent]))
  return {
    async prepare(id, { tools: given = NO_TOOLS }) {
      const agent = byName.get(id)
      if (agent !== undefined) return toPreparedAgent(agent, { config: settled, tools, sessionTools: given })
      throw unknownName('agent_not_found', `No agent has the name "${id}"`, id, [...byName.keys()], 'agent')
    },
  }
}

async function openStore(
  { state, ttlMs = TTL_MS }: Pick<ProgramSessionsOptions, 'state' | 'ttlMs'>,
  leaseMs: number,
): Promise<SessionStore> {
  if (state === undefined) {
    // What a program holds is not taken from it.
    const all = Number.POSITIVE_INFINITY
    const limits = { ttlMs: A_CENTURY_MS, maxIdle: all, maxBytes: all }
    return createMemoryState({ clock: systemClock, leaseMs, ...limits })
  }
  if (!('redisUrl' in state)) return state
  // Read when it is asked for: programs without Redis need none of it.
  const { createRedisState } = await import('../../state/redis-state.js')
  const { silentLogger } = await import('../../util/telemetry/logger.js')
  const { redisUrl: url, keyPrefix = 'shenma' } = state
  return createRedisState({ url, keyPrefix, leaseMs, ttlMs, logger: silentLogger() })
}

async function toTurn(started: StartedTurn): Promise<ProgramTurn> {
  const outcome: TurnOutcome = await started.outcome()
  const { turn } = started
  if (outcome.kind === 'failed') throw outcome.error
  if (outcome.kind === 'cancelled') return { status: 'cancelled', turn }
  if (outcome.kind === 'paused')
    return { status: 'paused', turn, approvals: outcome.approvals.map((each) => camelCase(each)) }
  return { ...camelCase(outcome.result), text: messageText(outcome.result.message) }
}

async function* toEvents(items: AsyncIterable<FollowedItem>): AsyncGenerator<ProgramEvent, void> {
  for await (const item of items) {
    const event = item.kind === 'gap' ? ({ type: 'gap' } as const) : turnEventOf(item)
    if (event !== undefined) yield camelCase(event)
  }
}

function newCall() {
  return { requestId: randomUUID(), signal: new Cancellation() }
}
