import type { VersionReference } from '../schema/version.js'
import { ALL_SHARES, hundredths, type Release } from '../versions/release-document.js'
import { countSigners } from '../versions/signature.js'
import { isTested } from '../versions/tested-release.js'
import type { VersionedKind } from '../versions/version-document.js'
import { NEVER, versionOf } from './life.js'
import type { Label, LabelTarget, Life, ReleaseEntry, VersionEntry } from './snapshot.js'

/** What a label's releases need before they are served. */
export interface JudgedGate {
  /** How many different signers. */
  readonly required: number
  /** Public keys by the signer's name. */
  readonly signers: Readonly<Record<string, readonly string[]>>
  /** Names the installation that the signatures are for. */
  readonly audience: string
  /** Releases with a lower sequence are not served, by the id of the prompt. */
  readonly minimum: Readonly<Record<string, number>>
  /** Whether its tests have to pass, as the signed release says. */
  readonly needsTests?: boolean
}

/** Gates by label. */
export type LabelGates = Readonly<Record<string, JudgedGate>>

/** What may be served in the place of a release. */
interface Judged {
  /** The release whose targets, or else whose `previous`, may serve; undefined for none. */
  readonly release: Release | undefined
  readonly problem: string | undefined
}

/**
 * Decides what labels serve. It remembers what it accepted under gates, so that a process never goes back to an earlier
 * release, and keeps serving the last one when something else takes its place.
 */
export class LabelJudge {
  readonly #kind: VersionedKind
  readonly #gates: LabelGates
  /** Of each id and label under a gate the release that was accepted last. */
  readonly #accepted = new Map<string, Release>()

  constructor(kind: VersionedKind, gates: LabelGates) {
    this.#kind = kind
    this.#gates = gates
  }

  /** What a label serves, given the versions that are there. */
  judge<Version extends VersionEntry>(
    entry: ReleaseEntry,
    life: Pick<Life<Version>, 'versions'>,
  ): Label<Version> {
    const versions: Life<Version> = { versions: life.versions, labels: new Map() }
    const { release, problem } = this.#judged(entry)
    const common = { name: entry.label, entry, sticky: release?.sticky }
    if (release === undefined) return { ...common, ...NOTHING, problem }
    const wanted = targetsOfRelease(release, versions)
    const previous = previousOf(release, versions)
    const expiresAt = release.expires === undefined ? NEVER : Date.parse(release.expires)
    if (wanted.missing === undefined)
      return { ...common, targets: wanted.targets, problem, expiresAt, afterwards: previous }
    const missing = problem ?? missingVersion(wanted.missing, versions)
    return { ...common, targets: previous, problem: missing, expiresAt: NEVER, afterwards: previous }
  }

  #judged(entry: ReleaseEntry): Judged {
    const { id, label, release } = entry
    const gate = Object.hasOwn(this.#gates, label) ? this.#gates[label] : undefined
    if (gate === undefined) return { release, problem: release === undefined ? 'it is malformed' : undefined }
    const key = `${id}@${label}`
    const last = this.#accepted.get(key)
    const problem = release === undefined ? 'it is malformed' : this.#refusal(entry, release, gate, last)
    if (problem !== undefined || release === undefined) return { release: last, problem }
    this.#accepted.set(key, release)
    return { release, problem: undefined }
  }

  /** Why a gate does not let a release pass. */
  #refusal(
    { id, label }: ReleaseEntry,
    release: Release,
    gate: JudgedGate,
    last: Release | undefined,
  ): string | undefined {
    const minimum = Object.hasOwn(gate.minimum, id) ? (gate.minimum[id] ?? 0) : 0
    const { sequence } = release
    if (sequence < minimum) return `its sequence ${sequence} is below the minimum ${minimum}`
    if (last !== undefined && sequence < last.sequence)
      return `its sequence ${sequence} is below ${last.sequence}, which was served`
    const signed = { audience: gate.audience, kind: this.#kind, id, label, release }
    const { length } = countSigners(signed, gate)
    if (length < gate.required) return `${length} of ${gate.required} required signatures hold`
    return gate.needsTests === true && !isTested(release)
      ? 'it does not say that its tests passed'
      : undefined
  }
}

const NOTHING = { targets: [], expiresAt: NEVER, afterwards: [] } as const

/** All of a release's targets, or the first that is not there. */
function targetsOfRelease<Version extends VersionEntry>(
  release: Release,
  life: Life<Version>,
): { readonly targets: readonly LabelTarget<Version>[]; readonly missing: VersionReference | undefined } {
  const targets: LabelTarget<Version>[] = []
  let end = 0
  for (const target of release.targets) {
    end += hundredths(target.share)
    const version = fitting(target, life)
    if (version === undefined) return { targets, missing: target }
    targets.push({ version, end })
  }
  return { targets, missing: undefined }
}

function previousOf<Version extends VersionEntry>(
  { previous }: Release,
  life: Life<Version>,
): readonly LabelTarget<Version>[] {
  const version = previous && fitting(previous, life)
  return version === undefined ? [] : [{ version, end: ALL_SHARES }]
}

/** A version whose key still holds what the release names. */
function fitting<Version extends VersionEntry>(
  { version: number, digest }: VersionReference,
  life: Life<Version>,
): Version | undefined {
  const version = versionOf(life, number)
  return version?.digest === digest && !version.isReplaced ? version : undefined
}

function missingVersion({ version, digest }: VersionReference, life: Life): string {
  const there = versionOf(life, version)
  if (there === undefined) return `version ${version} is not there`
  return `version ${version} does not have the digest ${digest.slice(0, 12)}…`
}
