import type { StoredMessage } from '../../conversation/history.js'
import type { Message } from '../../conversation/message.js'
import type { Usage } from '../../llm/model.js'
import type { ToolProtocol } from '../../protocols/protocol.js'
import type { Permission, Tool, Toolbox } from '../../tools/toolbox.js'
import type { CallContext } from '../../util/call-context.js'
import type { JsonObject } from '../../util/json/json.js'
import type { Clock } from '../../util/time/clock.js'
import type { AgentRole, FinalPromptInput } from '../guards/final-answer.js'
import type { GuardSettings } from '../guards/guard-settings.js'
import type { HookExecutor } from '../hook-executor.js'
import type { HookedModel } from '../hooked-model.js'
import type { Limits } from '../limits.js'
import type { CycleState } from './cycle-state.js'
import type { TurnEvent } from './turn-event.js'

/** What counts as an answer: any text, a text with a box, or an object that fits a schema. */
export type AnswerForm = 'text' | 'boxed' | JsonObject

/** How much of a conversation a model is shown. */
export interface ContextSettings {
  /** The model's context in tokens; undefined: nothing is estimated, only the provider's refusal counts. */
  readonly window?: number
  /** How many of the newest tool results to show; -1 shows all. */
  readonly keepToolResults: number
  /** Whether older messages may be summarised. */
  readonly compact: boolean
}

/** Makes what happened durable. */
export interface CycleJournal {
  /**
   * Adds messages to the history and replaces the state, as one. Entries are written in the order of the calls;
   * resolves when this one is durable.
   */
  write(entry: JournalEntry): Promise<void>
  /** Called where a turn continues, before anything else happens in it: approved calls run next. */
  continues?(state: CycleState): Promise<void> | void
}

export interface JournalEntry {
  readonly messages: readonly StoredMessage[]
  readonly state: CycleState
  /** Set when a summary among the messages replaces the beginning of the history. */
  readonly summaryUpTo?: number
  /** Something runs next that must not run twice: the entry is durable before. */
  readonly isIntent?: true
}

/** Writes calls and results as text, of messages that it has read. */
export interface MessageWriter {
  /** Others have their turns meanwhile. */
  read(messages: readonly Message[]): Promise<void>
  write(messages: readonly Message[]): readonly Message[]
}

/** Everything a turn needs and nothing it changes. */
export interface CycleSetup {
  readonly model: HookedModel
  /** The model's name and every parameter that is not the conversation. */
  readonly request: JsonObject & { readonly model: string }
  /** The system message without the protocol's instructions. */
  readonly system: string | undefined
  readonly toolbox: Toolbox
  /** Beside what the tool itself says. */
  readonly permission: (tool: Tool) => Permission
  /** Undefined: the model speaks native tool calls. */
  readonly protocol: ToolProtocol | undefined
  /** The protocol's. */
  readonly writer: MessageWriter | undefined
  readonly answer: AnswerForm
  readonly agentRole: AgentRole
  readonly guards: GuardSettings
  readonly limits: Limits
  /** `error`: throws `limit_exceeded` in place of the last answer. */
  readonly onLimit: 'answer' | 'error'
  readonly context: ContextSettings
  readonly hooks: HookExecutor
  readonly journal: CycleJournal
  readonly emit: (event: TurnEvent) => void
  /** Called with the usage of every model call, including calls of failed and retracted steps. */
  readonly spend: (usage: Usage | undefined, cost: number | undefined) => void
  readonly call: CallContext
  readonly clock: Clock
  /** Whether somebody reads along: then the model is asked for a stream. */
  readonly streamed: boolean
  /** Whether text that readers have seen may be retracted with a `rollback`, and requested again. */
  readonly mayRollBack: boolean
  /** Longest time of one tool call, in milliseconds. */
  readonly toolTimeoutMs: number
  /** The turn's number, from 1. */
  readonly turn: number
  /** Names this turn among all, for idempotency keys. */
  readonly scope: string
  /** The texts of prompts that the catalog may override. */
  readonly prompts: CyclePrompts
}

/** Prompts of the loop itself. */
export interface CyclePrompts {
  /** Asks for the last answer, without tools. */
  final(input: FinalPromptInput): string | Promise<string>
  /** The note to the model about a retracted message, made from the problem. Default: the problem itself. */
  note?(problem: string): string | Promise<string>
  /** Asks for a summary of the conversation so far. */
  readonly summary: string
}
