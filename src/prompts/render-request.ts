import type { Reach } from '../registry/reach.js'
import type { CompiledPrompt } from '../registry/registry.js'
import type { PromptDefinition, PromptEntry, Snapshot } from '../registry/snapshot.js'
import type { ToolCaller } from '../tools/tool.js'
import type { CallContext } from '../util/call-context.js'
import type { JsonObject } from '../util/json/json.js'
import type { ServedVersion } from './find-prompt.js'
import type { RenderWarning, ToolObservation } from './tool-functions.js'

/** What to render, for whom. */
export interface RenderRequest {
  readonly snapshot: Snapshot
  readonly definition: PromptDefinition
  readonly compiled: CompiledPrompt
  readonly variables: JsonObject
  /** Which registered prompt it is; undefined for a text that a request brought along. */
  readonly prompt?: Pick<PromptEntry, 'id' | 'revision'> | undefined
  /** Which version of it; undefined for its head. */
  readonly served?: ServedVersion | undefined
  /** What it is for; the prompt and its tools must support it. */
  readonly scenario?: string | undefined
  /** For whom. Several prompts under one limit have a common deadline. */
  readonly call: CallContext
  /** Nothing was done yet for anybody who asks: where too much waits already, it may be refused with `overloaded`. */
  readonly isNew?: boolean
  /** Watches the calls of tools, or replaces them. */
  readonly tools?: ToolObservation
  /** Calls the catalog's tools in place of the renderer's own caller: for tests of prompts. */
  readonly caller?: ToolCaller | undefined
  /** What is to be said of the prompt, whatever comes of the render. */
  readonly notes?: readonly RenderWarning[] | undefined
  /** The variables are for several prompts: each of them need not know all. */
  readonly isShared?: boolean
  /** What it reaches, of a text that a request brought along; undefined for everything. */
  readonly reach?: Reach | undefined
}

const NO_CONTEXT: JsonObject = Object.freeze({})

/** The catalog as templates see it. */
export function seenSnapshot({ snapshot, reach }: RenderRequest): Snapshot {
  return reach?.mayRead === false ? { ...snapshot, context: NO_CONTEXT } : snapshot
}
