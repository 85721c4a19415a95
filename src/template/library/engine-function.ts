/** Marks a function that works on the engine's own values, in whatever table it is. */
const ENGINE_FUNCTION = Symbol('engine function')

/** The function itself, from now on called with the engine's values instead of plain JavaScript. */
export function engineFunction<Call extends object>(call: Call): Call {
  return Object.assign(call, { [ENGINE_FUNCTION]: true })
}

/** True for functions of the own library. */
export function isEngineFunction(call: object): boolean {
  return Object.hasOwn(call, ENGINE_FUNCTION)
}
