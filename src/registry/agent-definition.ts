import type { ProtocolChoice } from '../schema/protocol-id.js'
import type { JsonObject } from '../util/json/json.js'

/** An agent after normalisation: every default applied. */
export interface AgentDefinition {
  readonly name: string
  readonly description: string
  /** Id of the prompt that opens the system message. */
  readonly prompt: string | undefined
  /** The system message, after the prompt's: a template of the variables. */
  readonly instructions: string | undefined
  /** Of the instructions. */
  readonly engine: 'go' | 'handlebars'
  /** JSON Schema of the variables, always `type: object`. */
  readonly parameters: JsonObject
  /** Undefined: the prompt's, else the configured one. */
  readonly model: string | undefined
  /** Parameters of the model. */
  readonly options: JsonObject
  /** As the author names them: ids, function names, `m.*`, `*`, `agent:<id>`. */
  readonly tools: readonly string[]
  readonly protocol: ProtocolChoice
  readonly approvals: { readonly ask: readonly string[]; readonly deny: readonly string[] }
  readonly answer: 'text' | 'boxed' | JsonObject
  /** The document's `role`. */
  readonly agentRole: 'main' | 'browsing'
  readonly guards: {
    readonly format: boolean
    readonly refusal: boolean | readonly string[]
    readonly duplicate: boolean
    readonly loop: boolean
    readonly repetition: boolean
  }
  /** Only what the author sets. */
  readonly limits: {
    readonly maxTurns?: number
    readonly maxToolTurns?: number
    readonly maxCallsPerTurn?: number
    readonly maxSteps?: number
    readonly maxTokens?: number
    readonly maxCost?: number
    readonly maxMs?: number
  }
  readonly context: { readonly window?: number; readonly keepToolResults: number; readonly compact: boolean }
  readonly version: string | undefined
}

/** What holds for an agent whose document says nothing of it. */
export const AGENT_DEFAULTS = {
  engine: 'go',
  tools: [],
  protocol: 'native',
  approvals: { ask: [], deny: [] },
  answer: 'text',
  agentRole: 'main',
  guards: { format: true, refusal: false, duplicate: false, loop: true, repetition: true },
  context: { keepToolResults: -1, compact: true },
} as const satisfies Partial<AgentDefinition>
