import { at } from '../util/at.js'
import { lowerBound } from '../util/lower-bound.js'
import type { Label, LabelTarget, Life, VersionEntry } from './snapshot.js'

/** The version of a number; undefined when it is not there. */
export function versionOf<Version extends VersionEntry>(
  { versions }: Life<Version>,
  number: number,
): Version | undefined {
  const index = lowerBound(versions, (version) => version.number >= number)
  const found = versions[index]
  return found?.number === number ? found : undefined
}

/** The newest version; undefined where there are only labels. */
export function newestOf<Version extends VersionEntry>({ versions }: Life<Version>): Version | undefined {
  return versions.at(-1)
}

/** What a label serves now; empty for nothing. @param now epoch milliseconds */
export function targetsOf<Version extends VersionEntry>(
  label: Label<Version>,
  now: () => number,
): readonly LabelTarget<Version>[] {
  return label.expiresAt === NEVER || now() < label.expiresAt ? label.targets : label.afterwards
}

/** The version that a bucket is served: shares lie end to end. */
export function inBucket<Version extends VersionEntry>(
  targets: readonly LabelTarget<Version>[],
  bucket: number,
): Version {
  return (targets.find(({ end }) => bucket < end) ?? at(targets, -1)).version
}

/** The time of what does not expire. */
export const NEVER = Number.POSITIVE_INFINITY
