/** Continues with a value that may have to be waited for: at once, without a promise, where it is there already. */
export function andThen<Value, Next>(
  value: Value | Promise<Value>,
  next: (value: Value) => Next,
): Next | Promise<Awaited<Next>>
export function andThen<Value, Result>(
  value: Value | Promise<Value>,
  next: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(next) : next(value)
}

/** What a function promises; rejects as well where it throws before it has a promise. */
export function promised<Value>(begin: () => Promise<Value>): Promise<Value> {
  try {
    return begin()
  } catch (error) {
    return Promise.reject(error)
  }
}

/** All of several such values: at once, without a promise, where none has to be waited for. */
export function together<Value>(
  values: readonly (Value | Promise<Value>)[],
): readonly Value[] | Promise<readonly Value[]> {
  return isThere(values) ? values : Promise.all(values)
}

function isThere<Value>(values: readonly (Value | Promise<Value>)[]): values is readonly Value[] {
  for (const value of values) if (value instanceof Promise) return false
  return true
}
