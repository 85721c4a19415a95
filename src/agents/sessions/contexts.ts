import { ServiceError } from '../../errors.js'
import { addUsage, type CallUsage, NO_USAGE } from '../../llm/usage.js'
import type { ReadonlyStatic } from '../../schema/readonly-static.js'
import type { BridgeAnswer, BridgeBody, ContextAnswer } from '../../schema/session-api.js'
import type { RecordAddress, RecordView } from '../../state/contract/record-state.js'
import { shownId } from '../../state/record-name.js'
import { type CallContext, narrowContext } from '../../util/call-context.js'
import { invalidInput } from '../../util/errors/invalid-input.js'
import { toView } from '../cycle/fit-history.js'
import { summarize } from '../summarize.js'
import {
  agentOf,
  readHead,
  StoredHistory,
  startedWith,
  versionDigestOf,
  withUsage,
} from './session-record.js'
import type { SessionRuntime } from './session-runtime.js'
import type { SessionTurns } from './session-turns.js'

/** A context as bodies show it. */
export type WireContext = ReadonlyStatic<typeof ContextAnswer>

/** The contexts of sessions: conversations side by side that share one memory. */
export class SessionContexts {
  readonly #runtime: SessionRuntime
  readonly #turns: SessionTurns

  constructor(runtime: SessionRuntime, turns: SessionTurns) {
    this.#runtime = runtime
    this.#turns = turns
  }

  async list(address: RecordAddress): Promise<readonly WireContext[]> {
    const record = await this.#runtime.store.read(address)
    return [...record.contexts.keys()].sort().map((id) => toWireContext(record, id))
  }

  /** @throws ServiceError `agent_not_found`, `already_exists`, `limit_exceeded`, `session_busy` */
  async create(address: RecordAddress, id: string, agent: string, call: CallContext): Promise<WireContext> {
    const { store, agents } = this.#runtime
    const { variables } = readHead(await store.read(address))
    const ofSession = narrowContext(call, { session: address.id })
    const started = startedWith(agent, await agents.prepare(agent, { variables, call: ofSession }))
    const record = await this.#turns.whenIdle(address, () => store.contexts.create(address, id, started))
    return toWireContext(record, id)
  }

  /** @throws ServiceError `context_not_found`, `session_busy` */
  switch(address: RecordAddress, id: string): Promise<RecordView> {
    return this.#turns.whenIdle(address, () => this.#runtime.store.contexts.switch(address, id))
  }

  /** @throws ServiceError `context_not_found`, `session_busy`, `invalid_request` for the active one */
  destroy(address: RecordAddress, id: string): Promise<RecordView> {
    return this.#turns.whenIdle(address, () => this.#runtime.store.contexts.destroy(address, id))
  }

  /**
   * Puts a summary of one context into the memory, where the others read it; messages never cross.
   *
   * @throws ServiceError `context_not_found`, `session_busy`, and as the model does
   */
  async bridge(
    address: RecordAddress,
    request: BridgeBody,
    call: CallContext,
  ): Promise<ReadonlyStatic<typeof BridgeAnswer>> {
    const { store } = this.#runtime
    const { from, to } = request
    const record = await store.read(address)
    for (const id of [from, to]) {
      if (!record.contexts.has(id))
        throw new ServiceError('context_not_found', `Session "${shownId(address)}" has no context "${id}"`)
    }
    const key = `context:${from}`
    const given = request.summary
    const { summary, spent } =
      given === undefined ? await this.#summarize(address, record, from, call) : { summary: given, spent: [] }
    await this.#turns.whenIdle(address, () => store.memory.set(address, key, summary, { whenIdle: true }))
    if (spent.length > 0) await this.#count(address, spent)
    return { from, to, key, summary }
  }

  /** The session pays for its summaries as for its turns. */
  #count(address: RecordAddress, spent: readonly CallUsage[]): Promise<RecordView> {
    const { store } = this.#runtime
    const usage = spent.reduce((sum, each) => addUsage(sum, each.usage), NO_USAGE)
    const costs = spent.flatMap((each) => each.cost ?? [])
    const cost = costs.length === 0 ? undefined : costs.reduce((sum, each) => sum + each, 0)
    return this.#turns.whenIdle(address, async () => {
      const head = readHead(await store.read(address))
      return store.update(address, withUsage(head, { usage, cost }))
    })
  }

  async #summarize(
    address: RecordAddress,
    record: RecordView,
    context: string,
    call: CallContext,
  ): Promise<{ readonly summary: string; readonly spent: readonly CallUsage[] }> {
    const { store, agents, model } = this.#runtime
    const { base = 0 } = record.contexts.get(context) ?? {}
    const history = new StoredHistory(await store.messages.read(address, { context, from: base })).history
    if (history.messages.length === 0)
      throw invalidInput('summary', `Context "${context}" has no messages to summarize`)
    const { variables } = readHead(record)
    const agent = await agents.prepare(agentOf(record, context), {
      ...{ variables, call, digest: versionDigestOf(record, context) },
    })
    const { keepToolResults, window = Number.POSITIVE_INFINITY } = agent.context
    const { text, spent } = await summarize({
      model,
      request: { ...agent.parameters, model: agent.model },
      messages: toView(history, { system: undefined, keepToolResults, writer: undefined }),
      prompt: agent.prompts.summary,
      limit: window,
      call,
    })
    if (text === undefined)
      throw new ServiceError('llm_bad_response', `The model returned no summary of the context "${context}"`)
    return { summary: text, spent }
  }
}

function toWireContext(record: RecordView, id: string): WireContext {
  return {
    id,
    agent: agentOf(record, id),
    active: record.activeContext === id,
    messages: record.contexts.get(id)?.messages ?? 0,
  }
}
