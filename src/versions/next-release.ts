import type { VersionReference } from '../schema/version.js'
import type { HistoryEntry } from './history-entry.js'
import { ALL_SHARES, hundredths, type Release, type ReleaseTarget } from './release-document.js'

/** What is known of a prompt's or an agent's past. */
export interface KnownPast {
  /** Of the versions that are there. */
  readonly numbers: readonly number[]
  /** Those of all labels, and those that wait for signatures. */
  readonly releases: readonly Release[]
  /** undefined for what cannot be read. */
  readonly history: readonly (HistoryEntry | undefined)[]
}

/** The number of the next version: one more than every number that was ever named. */
export function nextNumber({ numbers, releases, history }: KnownPast): number {
  const named = [
    ...numbers,
    ...releases
      .flatMap(({ targets, previous }) => [...targets, ...(previous ? [previous] : [])])
      .map(versionOf),
    ...history.flatMap((entry) => entry?.targets ?? []).map(versionOf),
  ]
  return 1 + named.reduce((most, number) => Math.max(most, number), 0)
}

/** The sequence of a label's next release: it continues even if the label was removed in between. */
export function nextSequence(
  label: string,
  releases: readonly Pick<Release, 'sequence'>[],
  history: KnownPast['history'],
): number {
  const told = history.filter((entry) => entry?.label === label).map((entry) => entry?.sequence ?? 0)
  return (
    1 + [...releases.map(({ sequence }) => sequence), ...told].reduce((most, each) => Math.max(most, each), 0)
  )
}

/**
 * The targets after a version got a share. It is the last one, so that raising its share later moves requests to it only;
 * the others keep their proportions.
 *
 * @param share in per cent; 100 for all
 */
export function withShare(
  targets: readonly ReleaseTarget[],
  next: VersionReference,
  share: number,
): readonly ReleaseTarget[] {
  const others = targets.filter(({ version }) => version !== next.version)
  const wanted = hundredths(share)
  if (wanted >= ALL_SHARES || others.length === 0) return [{ ...next, share: 100 }]
  const before = others.reduce((sum, target) => sum + hundredths(target.share), 0)
  const left = ALL_SHARES - wanted
  let rest = left
  const scaled = others.map((target, index) => {
    const isLast = index === others.length - 1
    const part = isLast ? rest : Math.floor((hundredths(target.share) * left) / before)
    rest -= part
    return { ...target, share: part / 100 }
  })
  return [...scaled.filter((target) => target.share > 0), { ...next, share: wanted / 100 }]
}

/** What a release falls back to: of what it replaces the version with the largest share that is not the new one. */
export function fallbackOf(
  replaced: Release | undefined,
  next: VersionReference,
): VersionReference | undefined {
  const others = (replaced?.targets ?? []).filter(({ version }) => version !== next.version)
  const [largest] = others.toSorted((one, other) => other.share - one.share)
  if (largest === undefined) return replaced?.previous
  return { version: largest.version, digest: largest.digest }
}

function versionOf({ version }: { readonly version: number }): number {
  return version
}
