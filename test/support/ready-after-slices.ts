import type { DeclaredFunction } from '../../src/template/api.js'
import { engineFunction } from '../../src/template/library/engine-function.js'
import { isInSlice, NotReady } from '../../src/util/slices/slice.js'

/** The same functions, each of whose calls has to be made ready outside of the slice that reaches it. */
export function readyAfterSlices(
  functions: Readonly<Record<string, DeclaredFunction>>,
): Record<string, DeclaredFunction> {
  let ready = 0
  const waiting = (call: DeclaredFunction['call']) =>
    engineFunction((...values: never[]) => {
      if (isInSlice() && ready === 0)
        throw new NotReady(() => {
          ready += 1
        })
      if (isInSlice()) ready -= 1
      return call(...values)
    })
  return Object.fromEntries(
    Object.entries(functions).map(([name, declared]) => [
      name,
      { ...declared, call: waiting(declared.call) },
    ]),
  )
}
