import { ServiceError } from '../errors.js'
import type { Grant, MessageChange } from '../state/contract/lease-state.js'
import type { RecordAddress } from '../state/contract/record-state.js'
import { LeasedRun } from '../state/leased-run.js'
import { isJsonObject, type JsonObject } from '../util/json/json.js'
import { listField, textField } from '../util/json/json-fields.js'
import { newId } from '../util/new-id.js'
import type { ResponseRuntime } from './response-runtime.js'
import { readStoredRequest } from './stored-request.js'

/** The context of a conversation's record in which its items are. */
const ITEMS = 'main'
/** How often the lock of a process that died is asked for, in milliseconds. */
const ASK_AGAIN_MS = 100
/** Beyond the lease of who died. */
const LEASE_AND_MORE_MS = 1_000

/** The right to add to a conversation: the lease of a turn of its record. */
export class ConversationLock {
  /** The number of the conversation's turn. */
  readonly turn: number
  readonly #run: LeasedRun

  constructor({ store, clock, leases: observer }: ResponseRuntime, { lease }: Grant) {
    this.turn = lease.turn
    this.#run = new LeasedRun({ store, lease, clock, observer })
  }

  /** Adds items and gives the lock back; a conversation that is gone, or another's by now, gets nothing. */
  async add(items: readonly JsonObject[], result: JsonObject = {}): Promise<void> {
    await this.change({ context: ITEMS, append: items }, result)
  }

  /** Changes items and gives the lock back. */
  async change(change: MessageChange, result: JsonObject = {}): Promise<void> {
    await this.#commit({ messages: [change], turn: { status: 'completed', result } })
  }

  /** Gives the lock back. */
  unlock(): Promise<void> {
    return this.#commit({ turn: { status: 'failed' } })
  }

  /** Gives the lock to the process that continues the response. */
  release(): Promise<void> {
    return this.#commit({ release: true })
  }

  /** Lets the lock run out. */
  leave(): void {
    this.#run.close()
  }

  async #commit(commit: Parameters<LeasedRun['commit']>[0]): Promise<void> {
    try {
      await this.#run.commit(commit)
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'turn_interrupted') throw error
    } finally {
      this.#run.close()
    }
  }
}

/** A locked conversation and what is in it. */
export interface LockedConversation {
  readonly lock: ConversationLock
  readonly items: readonly JsonObject[]
}

/**
 * Locks a conversation for a response, or for a change of its items.
 *
 * @param attend called with the id of an unfinished response that nobody runs
 * @throws ServiceError `conversation_not_found`, `conversation_locked`
 */
export async function lockConversation(
  runtime: ResponseRuntime,
  address: RecordAddress,
  response: string | undefined,
  attend: (response: string) => void,
): Promise<LockedConversation> {
  for (;;) {
    const input = response === undefined ? {} : { response }
    const grant = await runtime.store.begin({ address, by: newId(), purpose: 'start', input })
    // Its first reply was lost for longer than a lease, and somebody has settled the lock since.
    if (grant.kind === 'repeated') continue
    const lock = new ConversationLock(runtime, grant)
    if (grant.kind === 'started') return { lock, items: grant.messages.messages }
    await settle(runtime, grant, lock, attend)
  }
}

/** What the process left behind that died with the lock. @throws ServiceError `conversation_locked` */
async function settle(
  { store }: ResponseRuntime,
  { turn, record }: Grant,
  lock: ConversationLock,
  attend: (response: string) => void,
): Promise<void> {
  const id = textField(turn.input, 'response')
  const left =
    id === undefined
      ? undefined
      : await store.turns.read({ kind: 'response', id, owner: record.owner }, 1).catch(() => undefined)
  if (id === undefined || left === undefined) return lock.unlock()
  if (left.endedAt === undefined) {
    await lock.release()
    attend(id)
    const headers = { 'retry-after': '1' }
    throw new ServiceError('conversation_locked', 'Another response of the conversation is in progress', {
      headers,
    })
  }
  if (left.status !== 'completed') return lock.unlock()
  const output = listField(left.result ?? {}, 'output').filter(isJsonObject)
  await lock.add([...readStoredRequest(left.input).items, ...output], left.result)
}

/** The lock of a response that another process began; or, where that process was as far, the response that it made. */
export async function resumeLock(
  runtime: ResponseRuntime,
  address: RecordAddress,
  turn: number,
): Promise<LockedConversation | { readonly result: JsonObject } | undefined> {
  const { store, clock, leaseMs } = runtime
  for (const until = clock.now() + leaseMs + LEASE_AND_MORE_MS; ; ) {
    try {
      const view = await store.turns.read(address, turn)
      if (view.endedAt !== undefined)
        return view.status === 'completed' && view.result !== undefined ? { result: view.result } : undefined
      const grant = await store.begin({ address, by: newId(), purpose: 'resume', turn })
      if (grant.kind === 'repeated') return undefined
      return { lock: new ConversationLock(runtime, grant), items: grant.messages.messages }
    } catch (error) {
      const code = error instanceof ServiceError ? error.code : undefined
      if (code === 'conversation_not_found' || code === 'turn_not_found') return undefined
      if (code !== 'conversation_locked' || clock.now() > until) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS))
  }
}
