/** Of a longer key its beginning and its end are looked at, in code units: no key of a document is that long. */
const MAX_END = 1_024

/** A hash of 32 bits: FNV-1a over the code units, with a last mix so that all bits count. No defence against those who choose keys. */
export function hashOf(key: string): number {
  const { length } = key
  let hash = mixed(0x811c9dc5, key, 0, Math.min(length, MAX_END))
  if (length > MAX_END) hash = mixed(hash ^ length, key, Math.max(MAX_END, length - MAX_END), length)
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b)
  return hash ^ (hash >>> 13)
}

function mixed(start: number, key: string, from: number, to: number): number {
  let hash = start
  for (let index = from; index < to; index += 1) hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193)
  return hash
}
