import type { FunctionLookup, TemplateUsage } from '../../template/host.js'
import type { Sliced } from '../../util/slices/sliced.js'
import type { Place } from '../locate.js'
import type { AgentEntry, ExtensionEntry, PromptEntry, Snapshot, ToolEntry } from '../snapshot.js'
import type { TemplateField } from '../template-fields.js'

/** Advice for the author of a document that loads: nothing fails yet, or not for everybody. */
export interface Advice {
  readonly message: string
  /** What to write instead. */
  readonly hint?: string | undefined
  /** In the prompt's, tool's or extension's own document. */
  readonly place: Place
}

/** A template of a prompt, and what it does. */
export interface UsedField extends TemplateField {
  readonly usage: TemplateUsage
}

/** What a rule may look at. */
export interface RuleScope {
  readonly snapshot: Snapshot
  /** Functions of templates beside the builtins and the tools. */
  readonly library: Pick<FunctionLookup, 'has' | 'keys'>
  /** What the templates of a prompt do; worked out once per prompt. */
  readonly usageOf: (prompt: PromptEntry) => readonly UsedField[]
  /** Models that the configured upstreams list. */
  readonly models: readonly string[]
  /** Prompts that others call as templates: they read whatever they are given. */
  readonly called: ReadonlySet<string>
  /** Functions that templates of the catalog call. */
  readonly functions: ReadonlySet<string>
  /** What a render may take, in milliseconds. */
  readonly renderTimeoutMs: number
}

/** One rule for one kind of document: a pure function of it and its catalog. At each `undefined` others may have a turn. */
export type Rule<Entry> = (entry: Entry, scope: RuleScope) => Iterable<Advice | undefined>
export type PromptRule = Rule<PromptEntry>
export type ToolRule = Rule<ToolEntry>
export type ExtensionRule = Rule<ExtensionEntry>
export type AgentRule = Rule<AgentEntry>

/** Items that a rule goes through, and `undefined` after each stretch of them. */
export function* withRests<Item>(items: Iterable<Item>, stretch = 256): Generator<Item | undefined> {
  let count = 0
  for (const item of items) {
    yield item
    count += 1
    if (count % stretch === 0) yield undefined
  }
}

/** Work that a rule does in slices, with `undefined` between them. */
export function* inRests<Result>(work: Sliced<Result>): Generator<undefined, Result> {
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
    yield undefined
  }
}
