/**
 * The element at an index that is known to exist: for lists whose length was checked a line above.
 *
 * @throws RangeError for a place that is not there after all
 */
export function at<Item>(list: ArrayLike<Item>, index: number): Item {
  const item = list[index < 0 ? list.length + index : index]
  if (item === undefined) throw new RangeError(`there is no item ${index} in a list of ${list.length}`)
  return item
}

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

/** The word that a value is, of those that are known. @throws RangeError for anything else */
export function knownWord<Word extends string>(words: readonly Word[], value: unknown): Word {
  const word = words.find((each) => each === value)
  if (word === undefined) throw new RangeError(`${JSON.stringify(value)} is not one of ${words.join(', ')}`)
  return word
}
