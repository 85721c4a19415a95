import { clipped } from '../../util/text/clipped.js'
import { needsBytes } from '../format/byte-string.js'
import { formatArgument } from '../format/format-value.js'
import { LimitError } from '../format/go-error.js'
import { execError, type Site } from '../site.js'
import type { Value } from '../value.js'
import type { Budget } from './budget.js'
import { checkUnits } from './call-units.js'
import { type Cursor, openCursor } from './cursor.js'
import { Pending, SUSPEND } from './pending.js'
import type { Run } from './run.js'

/** What it costs to copy an element of a list before ranging over it. */
const ITEM_COST = 10
/** What it costs to gather and sort a key of a dict, and to look its value up, before ranging over it. */
const KEY_COST = 700
/** What it costs to compare a character of a key with those of others, which may begin alike. */
const KEY_CHARACTER_COST = 5
/** What it costs to sort a key that sorts otherwise in UTF-16 than in UTF-8, or of very many that are not Latin. */
const WIDE_KEY_COST = 1_700
/** More keys than this are searched for letters that are not Latin. */
const MANY_KEYS = 1_000
const NOT_LATIN = /[^\0-\xff]/

/** Opens what a loop with this number of variables iterates that is not a plain list. @throws TemplateError, SUSPEND */
export function openLoop(run: Run, value: Value, site: Site | null, variables: number): Cursor {
  if (value instanceof Pending) throw SUSPEND
  const adopted = run.boundary.adopt(value)
  const { isLoopable, failures } = run.rules
  const at = site ?? run.at
  if (!isLoopable(adopted)) throw failures.notLoopable(at)
  const cursor = openCursor(adopted, (elements, keys) => chargeOpening(run.budget, elements, keys, at))
  if (cursor === null) throw execError(at, `range can't iterate over ${told(adopted)}`)
  if (cursor.items === null && variables > 1) {
    throw execError(at, `can't use ${told(adopted)} to iterate over more than one variable`)
  }
  return cursor
}

/** Charges what takes as long as there are elements, before it is done. @throws TemplateError, SUSPEND */
function chargeOpening(budget: Budget, elements: number, keys: readonly string[] | null, site: Site): void {
  const units = keys === null ? elements * ITEM_COST : costOfKeys(keys)
  try {
    if (budget.charges) checkUnits(units)
  } catch (error) {
    throw error instanceof LimitError ? budget.limitMet(site, error) : error
  }
  // A cooperative run looks at the clock before the first round.
  if (budget.mode === 'cooperative') budget.work -= units
  else budget.admits(site, units)
}

function costOfKeys(keys: readonly string[]): number {
  let characters = 0
  for (const key of keys) characters += key.length
  return keys.length * (isWide(keys) ? WIDE_KEY_COST : KEY_COST) + characters * KEY_CHARACTER_COST
}

function isWide(keys: readonly string[]): boolean {
  return (keys.length > MANY_KEYS && keys.some((key) => NOT_LATIN.test(key))) || needsBytes(keys)
}

/** A value as error messages show it: the beginning of a long text. */
function told(value: Value): string {
  return clipped(formatArgument(value), MAX_SHOWN)
}

/** Characters of a value that error messages show. */
const MAX_SHOWN = 200
