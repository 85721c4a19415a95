import { isMessage, type Message } from '../../conversation/message.js'
import { toGroups } from '../../conversation/message-groups.js'
import { ServiceError } from '../../errors.js'
import { assertKnownOptions, type OptionNames } from '../../util/errors/known-options.js'
import { parseJson, stringifyJson } from '../../util/json/json.js'
import { type CompactConfig, ConversationSummary } from './conversation-summary.js'
import { type MemoryItem, type MemoryStore, namespaceOf } from './memory-store.js'

/** Which part of a conversation is handed out: the newest messages, or all. */
export type MemoryStrategy = 'SlidingWindow' | 'Full'

/** How many messages the newest part has. */
export interface ConversationMemoryConfig {
  /** Default `SlidingWindow`. */
  readonly strategy?: MemoryStrategy
  /** Messages in the window, system messages not counted. Default 50. */
  readonly maxMessages?: number
  /** The older name of `maxMessages`; it counts messages, too. */
  readonly maxTurns?: number
  /** A summary replaces what falls out of the window. Default: it is left out. Works with `SlidingWindow`. */
  readonly compact?: CompactConfig
}

const CONFIG_NAMES: OptionNames<Required<ConversationMemoryConfig>> = {
  ...{ strategy: true, maxMessages: true, maxTurns: true, compact: true },
}

const DEFAULT_MAX_MESSAGES = 50
/** Digits of a message's number in its id, so that ids sort as messages came. */
const NUMBER_DIGITS = 10

/**
 * A conversation whose newest messages are at hand and whose older ones stay in the store. What falls out of the
 * window falls whole: an assistant's tool calls are never kept apart from their results.
 */
export class ConversationMemory {
  readonly #store: MemoryStore
  readonly #prefix: string
  readonly #strategy: MemoryStrategy
  readonly #maxMessages: number
  readonly #summary: ConversationSummary | undefined
  readonly #now: () => number
  #loaded: Promise<Message[]> | undefined

  constructor(
    store: MemoryStore,
    session: string,
    config: ConversationMemoryConfig = {},
    now: () => number = Date.now,
  ) {
    assertKnownOptions('ConversationMemory', config, CONFIG_NAMES)
    const { strategy = 'SlidingWindow', maxMessages, maxTurns } = config
    this.#store = store
    this.#prefix = namespaceOf('conversation', session)
    this.#strategy = strategy
    this.#maxMessages = maxMessages ?? maxTurns ?? DEFAULT_MAX_MESSAGES
    this.#now = now
    if (config.compact !== undefined && strategy === 'Full')
      throw new ServiceError(
        'invalid_config',
        'ConversationMemory compacts only with the SlidingWindow strategy',
      )
    this.#summary = config.compact && new ConversationSummary(store, session, config.compact, now)
  }

  /** Adds a message to the end; it is stored before this resolves. */
  async addMessage(message: Message): Promise<void> {
    const messages = await this.#all()
    const number = messages.push(message) - 1
    await this.#store.save({
      id: this.#prefix + String(number).padStart(NUMBER_DIGITS, '0'),
      content: stringifyJson(message),
      metadata: { role: message.role },
      createdAt: this.#now(),
    })
  }

  /** What a model is shown: the window, with `compact` behind a summary of what came before, or everything. */
  async getHistory(): Promise<readonly Message[]> {
    const messages = await this.#all()
    if (this.#summary !== undefined) return this.#summary.shorten([...messages], this.#maxMessages)
    return this.#strategy === 'Full' ? [...messages] : newestMessages(messages, this.#maxMessages)
  }

  /** Every message ever added, those outside the window too. */
  async getStored(): Promise<readonly Message[]> {
    return [...(await this.#all())]
  }

  #all(): Promise<Message[]> {
    this.#loaded ??= this.#store.list({ prefix: this.#prefix }).then((items) => items.flatMap(toMessage))
    return this.#loaded
  }
}

/**
 * The newest messages, up to the limit, and all system messages, which do not count. Calls and their results are
 * dropped together, so that the rest is still a valid conversation.
 */
export function newestMessages(messages: readonly Message[], maxMessages: number): readonly Message[] {
  const groups = toGroups(messages)
  const kept: (readonly Message[])[] = []
  let room = maxMessages
  let isFull = false
  for (const group of groups.reverse()) {
    const isSystem = group[0]?.role === 'system' || group[0]?.role === 'developer'
    if (!isSystem) {
      isFull ||= group.length > room
      if (isFull) continue
      room -= group.length
    }
    kept.push(group)
  }
  return kept.reverse().flat()
}

function toMessage({ content }: MemoryItem): readonly Message[] {
  const value = parseJson(content)
  return isMessage(value) ? [value] : []
}
