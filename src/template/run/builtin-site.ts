import type { CallCost } from '../api.js'
import type { QuickFormat } from '../fast/quick-format.js'
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
}

/** A printf whose format is a literal, compiled with the template. */
export interface LiteralFormatSite extends BuiltinSite {
  readonly format: QuickFormat
}

/** A printf whose format is known when it runs. */
export interface OpenFormatSite extends BuiltinSite {
  /** Where a format of a wrong type is reported; null where that depends on the run. */
  readonly formatSite: Site | null
}
