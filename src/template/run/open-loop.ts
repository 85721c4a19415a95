import { formatArgument } from '../format/format-value.js'
import { execError, type Site } from '../site.js'
import type { Value } from '../value.js'
import { type Cursor, openCursor } from './cursor.js'
import { Pending, SUSPEND } from './pending.js'
import type { Run } from './run.js'

/** What it costs to copy an element of a list, and to sort a key of a dict, before ranging over it. */
const ITEM_COST = 10
const KEY_COST = 300

/** What a loop with so many variables goes over that is no plain list. @throws TemplateError, SUSPEND */
export function openLoop(run: Run, value: Value, site: Site | null, variables: number): Cursor {
  if (value instanceof Pending) throw SUSPEND
  const adopted = run.border.adopt(value)
  const { isLoopable, failures } = run.rules
  const at = site ?? run.at
  if (!isLoopable(adopted)) throw failures.notLoopable(at)
  const cursor = openCursor(adopted)
  if (cursor === null) throw execError(at, `range can't iterate over ${formatArgument(adopted)}`)
  const { items, keys, length } = cursor
  if (items !== null) run.budget.work -= length * (keys === null ? ITEM_COST : KEY_COST)
  else if (variables > 1) {
    throw execError(at, `can't use ${formatArgument(adopted)} to iterate over more than one variable`)
  }
  return cursor
}
