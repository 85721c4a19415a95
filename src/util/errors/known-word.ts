/** The word that a value is, of those that are known. @throws RangeError for anything else */
export function knownWord<Word extends string>(words: readonly Word[], value: unknown): Word {
  const word = words.find((each) => each === value)
  if (word === undefined) throw new RangeError(`${JSON.stringify(value)} is not one of ${words.join(', ')}`)
  return word
}
