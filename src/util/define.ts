/** Sets an own property whatever its name is: `__proto__` is plain data too. */
export function define<Value>(object: Record<string, Value>, name: string, value: Value): void {
  if (name !== '__proto__') object[name] = value
  else Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true })
}

/** Copies own enumerable properties like a spread; for the few of a parsed request several times as fast. */
export function copyInto<Value>(
  target: Record<string, Value>,
  source: Readonly<Record<string, Value>>,
  except?: ReadonlySet<string>,
): void {
  for (const name in source) {
    if (except === undefined || !except.has(name)) define(target, name, source[name])
  }
}
