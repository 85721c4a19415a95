/**
 * A property of a plain object that is known to be there: for names that were listed from it.
 *
 * @throws RangeError for one that is not there after all
 */
export function named<Value>(object: Readonly<Record<string, Value>>, name: string): Value {
  const value = object[name]
  if (value === undefined) throw new RangeError(`there is no property ${JSON.stringify(name)}`)
  return value
}
