import type { Rendered } from '../../api/shapes.js'
import type { Catalog } from '../../stores/catalog.js'

/** Names of functions that a prompt calls. */
export interface CalledTools {
  /** Those that the preview left out. */
  readonly waiting: readonly string[]
  /** Those that may change something. */
  readonly writing: readonly string[]
}

/** Which tools a render calls, and which of them may change something: those that do not say that they only read. */
export function callsOf(rendered: Rendered | undefined, { shelves }: Catalog): CalledTools {
  const calls = rendered?.explain?.tools ?? []
  const known = shelves.tool.entries.value
  const mayWrite = (name: string) => known.find((tool) => tool.function === name)?.readOnly !== true
  const named = (chosen: typeof calls) => [...new Set(chosen.map((call) => call.function))]
  return {
    waiting: named(calls.filter(({ status }) => status === 'dry_run')),
    writing: named(calls).filter(mayWrite),
  }
}
