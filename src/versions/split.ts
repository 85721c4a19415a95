import { hash } from 'node:crypto'
import { at } from '../util/at.js'
import type { JsonObject, JsonValue } from '../util/json/json.js'
import { valueAt } from '../util/json/json-path.js'
import { ALL_SHARES, hundredths, type Release, type ReleaseTarget } from './release-document.js'

/**
 * The bucket of a key, from 0 to 9,999: the first 32 bits of SHA-256 over `<id>\n<label>\n<key>` (UTF-8), big-endian,
 * modulo 10,000. Equal on every replica and in every language.
 */
export function bucketOf(id: string, label: string, key: string): number {
  return hash('sha256', `${id}\n${label}\n${key}`, 'buffer').readUInt32BE(0) % ALL_SHARES
}

/**
 * The key that a release looks for in the variables of a request; undefined where it looks for none, or finds none.
 *
 * @param sticky a path such as `variables.user_id`
 */
export function keyIn(sticky: string | undefined, variables: () => JsonObject): string | undefined {
  if (sticky === undefined) return undefined
  const value = valueAt({ variables: variables() }, sticky.split('.'))
  return isKey(value) ? String(value) : undefined
}

function isKey(value: JsonValue | undefined): value is string | number | bigint {
  return value !== '' && ['string', 'number', 'bigint'].includes(typeof value)
}

/**
 * The version that a bucket is served. Shares lie end to end in the release's order, so raising the last share moves
 * buckets to the last version only.
 */
export function targetOf({ targets }: Pick<Release, 'targets'>, bucket: number): ReleaseTarget {
  let end = 0
  for (const target of targets) {
    end += hundredths(target.share)
    if (bucket < end) return target
  }
  return at(targets, -1)
}
