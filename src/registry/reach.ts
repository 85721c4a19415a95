/**
 * What a request that brings texts along reaches of the catalog. Without one it reaches everything, as an author does.
 * A registered prompt that it may use may itself include what its author wrote.
 */
export interface Reach {
  /** Equal for equal reaches: what was compiled for one is not used for another. */
  readonly name: string
  /** Whether it may name a registered prompt: as a part of a conversation, or as a partial. */
  mayUse(promptId: string): boolean
  /** Whether it may bring templates of its own at all. */
  readonly mayBringTexts: boolean
  /** Whether its own texts see the shared context, and the names of tools. */
  readonly mayRead: boolean
  /** The only labels under which it finds prompts; undefined for everything. */
  readonly labels: readonly string[] | undefined
  /** Whether its own texts may call tools; those calls fail otherwise. */
  readonly mayCallTools: boolean
}
