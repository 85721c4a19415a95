import { targetsOf, versionOf } from './life.js'
import type { Label, LabelTarget, Life, SnapshotMap, VersionEntry } from './snapshot.js'

/** Which text is asked for: a version, what a label serves, or what the caller gets that says neither. */
export interface Asked {
  readonly version?: number | undefined
  readonly label?: string | undefined
  /** The only labels that the caller gets; the first is its default. undefined for everything. */
  readonly bound?: readonly string[] | undefined
}

/** Nothing in particular, by a caller that gets everything. */
export const NOTHING_ASKED: Asked = Object.freeze({})

/** What holds for every request of this service. */
export interface LabelRules {
  /** `PROMPT_LABEL`: the label of requests that name none. */
  readonly promptLabel: string | undefined
  /** Whether releases under this label need signatures: then nothing else is served under it. */
  isGated(label: string): boolean
  /** Whether a prompt has or had a release, as far as this process saw. */
  wasReleased(id: string): boolean
  /** Called with a head that is served because nothing was released under `promptLabel`. */
  noteUnreleased(head: { readonly id: string; readonly revision: string }): void
  /** Epoch milliseconds. */
  readonly now: () => number
}

/** Where heads and their lives are found: those of prompts, or those of agents. */
export interface HeadShelf<Head, Version extends VersionEntry> {
  readonly heads: Pick<SnapshotMap<Head>, 'get'>
  readonly lives: Pick<SnapshotMap<Life<Version>>, 'get'>
}

/** What a request gets. */
export type Chosen<Head, Version extends VersionEntry> =
  /** `isUnreleased`: because nothing was released under the label that holds for it. */
  | { readonly kind: 'head'; readonly head: Head; readonly isUnreleased: boolean }
  /** Of one version, or of several that share the requests of a label. */
  | {
      readonly kind: 'version'
      readonly targets: readonly [LabelTarget<Version>, ...LabelTarget<Version>[]]
      readonly label: Label<Version> | undefined
    }
  | {
      readonly kind: 'nothing'
      readonly reason: 'unknown' | 'no_version' | 'no_label' | 'unusable'
      /** The label that was looked for. */
      readonly label?: string | undefined
      readonly life?: Life<Version> | undefined
      readonly problem?: string | undefined
    }

/** Chooses what serves an id: its version, else its label, else the caller's, else `PROMPT_LABEL`'s, else its head. */
export function choose<Head, Version extends VersionEntry>(
  { heads, lives }: HeadShelf<Head, Version>,
  id: string,
  { version, label, bound }: Asked,
  rules: LabelRules,
): Chosen<Head, Version> {
  const life = lives.get(id)
  if (version !== undefined) return chosenVersion(life, version, bound)
  const named = label ?? bound?.[0] ?? rules.promptLabel
  if (named === undefined) return chosenHead(heads.get(id), life)
  if (bound?.includes(named) === false) return { kind: 'nothing', reason: 'no_label', label: named, life }
  const found = life?.labels.get(named)
  if (found !== undefined) return chosenLabel(found, life, rules.now)
  const head = heads.get(id)
  if (head === undefined && life === undefined) return { kind: 'nothing', reason: 'unknown' }
  const isByDefault = label === undefined && bound === undefined
  if (isByDefault && head !== undefined && isUnreleased(id, named, life, rules))
    return { kind: 'head', head, isUnreleased: true }
  return { kind: 'nothing', reason: 'no_label', label: named, life }
}

function isUnreleased(id: string, label: string, life: Life | undefined, rules: LabelRules): boolean {
  return (life?.labels.size ?? 0) === 0 && !rules.isGated(label) && !rules.wasReleased(id)
}

function chosenHead<Head, Version extends VersionEntry>(
  head: Head | undefined,
  life: Life<Version> | undefined,
): Chosen<Head, Version> {
  if (head !== undefined) return { kind: 'head', head, isUnreleased: false }
  return { kind: 'nothing', reason: 'unknown', life }
}

function chosenVersion<Version extends VersionEntry>(
  life: Life<Version> | undefined,
  number: number,
  bound: Asked['bound'],
): Chosen<never, Version> {
  const version = life && bound === undefined ? versionOf(life, number) : undefined
  if (version === undefined) return { kind: 'nothing', reason: 'no_version', life }
  return { kind: 'version', targets: [{ version, end: WHOLE }], label: undefined }
}

function chosenLabel<Version extends VersionEntry>(
  label: Label<Version>,
  life: Life<Version> | undefined,
  now: () => number,
): Chosen<never, Version> {
  const [first, ...others] = targetsOf(label, now)
  if (first !== undefined) return { kind: 'version', targets: [first, ...others], label }
  return { kind: 'nothing', reason: 'unusable', label: label.name, life, problem: label.problem }
}

/** All buckets. */
const WHOLE = 10_000
