/**
 * What a map holds under a key that is known to be there.
 *
 * @throws RangeError for one that is not there after all
 */
export function keyed<Key, Value>(map: ReadonlyMap<Key, Value>, key: Key): Value {
  const value = map.get(key)
  if (value === undefined) throw new RangeError(`there is nothing under the key ${String(key)}`)
  return value
}
