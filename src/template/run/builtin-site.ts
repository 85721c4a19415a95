import type { CallCost } from '../api.js'
import type { CompiledFormat } from '../format/sprintf.js'
import type { Site } from '../site.js'
import type { Value } from '../value.js'

/** A call of a builtin in a program. */
export interface BuiltinSite {
  readonly name: string
  readonly call: (...values: Value[]) => Value
  readonly cost: CallCost
  readonly nameSite: Site
  /** Where a failure is reported. */
  readonly callSite: Site
  /** A literal printf format, compiled with the template. */
  readonly format: CompiledFormat | null
  /** Where a printf format of a wrong type is reported; null where that depends on the run. */
  readonly formatSite: Site | null
}
