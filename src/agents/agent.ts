import type { Tool, Toolbox } from '../tools/toolbox.js'

/** An agent: a name, its instructions, and the tools it sees. */
export interface Agent {
  readonly name: string
  /** The first layer of the system prompt; undefined: none. */
  readonly systemPrompt?: string | undefined
  /** The tools it may see and call, out of those there are. Default: all. */
  tools?(available: Toolbox): readonly Tool[]
}
