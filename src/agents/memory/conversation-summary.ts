import { randomUUID } from 'node:crypto'
import type { Message } from '../../conversation/message.js'
import { toGroups } from '../../conversation/message-groups.js'
import type { AnsweringModel } from '../../llm/model.js'
import { modelNameOf } from '../../llm/model-name.js'
import { Cancellation } from '../../util/cancellation.js'
import { DEFAULT_CYCLE_PROMPTS } from '../cycle/turn.js'
import { HookExecutor } from '../hook-executor.js'
import { HookedModel } from '../hooked-model.js'
import { summarize, summaryMessage } from '../summarize.js'
import { type MemoryStore, namespaceOf } from './memory-store.js'

/** How a conversation is compacted: a summary replaces what falls out of the window. */
export interface CompactConfig {
  /** Writes the summaries. */
  readonly provider: AnsweringModel
  /** Default: the provider's own. */
  readonly model?: string
  /** Tokens that one request for a summary may have. Default 8,000. */
  readonly window?: number
  /** Asks for the summary. Default: the loop's own prompt. */
  readonly prompt?: string
  /** See every request. */
  readonly hooks?: HookExecutor
}

const DEFAULT_WINDOW = 8_000

/** A summary, and how many messages from the beginning it covers. */
interface StoredSummary {
  readonly text: string
  readonly upTo: number
}

/** The newest summary of one conversation, kept beside its messages. */
export class ConversationSummary {
  readonly #store: MemoryStore
  readonly #id: string
  readonly #config: CompactConfig
  readonly #now: () => number

  constructor(store: MemoryStore, session: string, config: CompactConfig, now: () => number) {
    this.#store = store
    this.#id = `${namespaceOf('summary', session)}newest`
    this.#config = config
    this.#now = now
  }

  /**
   * The conversation with a summary for all but the newest messages, once there are more than this many that no summary
   * covers. System messages stay. A model that refuses leaves the conversation as it was.
   *
   * @throws ServiceError as the model does
   */
  async shorten(messages: readonly Message[], maxMessages: number): Promise<readonly Message[]> {
    const known = await this.#read()
    const open = messages.slice(known?.upTo ?? 0)
    const isFull = open.filter((message) => !isSystem(message)).length > maxMessages
    const summary = isFull ? ((await this.#renew(messages, maxMessages, known)) ?? known) : known
    if (summary === undefined) return messages
    const system = messages.slice(0, summary.upTo).filter(isSystem)
    return [...system, summaryMessage(summary.text), ...messages.slice(summary.upTo)]
  }

  async #renew(
    messages: readonly Message[],
    maxMessages: number,
    known: StoredSummary | undefined,
  ): Promise<StoredSummary | undefined> {
    const upTo = boundary(messages, Math.ceil(maxMessages / 2))
    if (upTo <= (known?.upTo ?? 0)) return undefined
    const { provider, model, window = DEFAULT_WINDOW, hooks = new HookExecutor() } = this.#config
    const before = known === undefined ? [] : [summaryMessage(known.text)]
    const old = messages.slice(known?.upTo ?? 0, upTo).filter((message) => !isSystem(message))
    const { text } = await summarize({
      model: HookedModel.of(provider, hooks),
      request: { model: modelNameOf(provider, model) },
      messages: [...before, ...old],
      prompt: this.#config.prompt ?? DEFAULT_CYCLE_PROMPTS.summary,
      limit: window,
      call: { requestId: randomUUID(), signal: new Cancellation() },
    })
    if (text === undefined) return undefined
    await this.#store.save({ id: this.#id, content: text, metadata: { upTo }, createdAt: this.#now() })
    return { text, upTo }
  }

  async #read(): Promise<StoredSummary | undefined> {
    const item = await this.#store.get(this.#id)
    const upTo = item?.metadata['upTo']
    return item === undefined || typeof upTo !== 'number' ? undefined : { text: item.content, upTo }
  }
}

/** Where a summary ends so that about this many messages stay; a call and its results stay together. */
function boundary(messages: readonly Message[], keep: number): number {
  let kept = 0
  for (const group of toGroups(messages).reverse()) {
    if (kept > 0 && kept + group.length > keep) break
    kept += group.length
  }
  return messages.length - kept
}

function isSystem({ role }: Message): boolean {
  return role === 'system' || role === 'developer'
}
