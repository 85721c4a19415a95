import { isDeepStrictEqual } from 'node:util'
import { type JsonValue, stringifyJson } from '../util/json.js'

/** Documents by the name of their place: a key or a path. */
export type Documents = ReadonlyMap<string, JsonValue>

/** What turns the target into the source. */
export interface DocumentChange {
  readonly kind: 'added' | 'changed' | 'removed'
  readonly name: string
  readonly before: JsonValue | undefined
  readonly after: JsonValue | undefined
}

const SIGNS = { added: '+', changed: '~', removed: '-' } as const
/** Longer documents are told as changed, without their lines. */
const MAX_LINES = 2_000

/** Compares two catalogs by value: the form of the text does not count. Sorted by name. */
export function compareDocuments(source: Documents, target: Documents, prune: boolean): DocumentChange[] {
  const names = [...new Set([...source.keys(), ...target.keys()])].sort()
  return names.flatMap((name): DocumentChange[] => {
    const before = target.get(name)
    const after = source.get(name)
    if (after === undefined) return prune ? [{ kind: 'removed', name, before, after }] : []
    if (before === undefined) return [{ kind: 'added', name, before, after }]
    return isDeepStrictEqual(before, after) ? [] : [{ kind: 'changed', name, before, after }]
  })
}

/** One line per change, and for changed documents the lines that differ. */
export function describeChange({ kind, name, before, after }: DocumentChange): string {
  const head = `${SIGNS[kind]} ${name}`
  if (kind !== 'changed' || before === undefined || after === undefined) return head
  return [head, ...changedLines(toLines(before), toLines(after)).map((line) => `    ${line}`)].join('\n')
}

function toLines(value: JsonValue): string[] {
  return stringifyJson(value, 2).split('\n')
}

/** The lines taken away and added, by the longest common subsequence. */
function changedLines(before: readonly string[], after: readonly string[]): string[] {
  if (before.length > MAX_LINES || after.length > MAX_LINES) return ['(too long to show)']
  const common = commonLengths(before, after)
  const lines: string[] = []
  let row = 0
  let column = 0
  while (row < before.length || column < after.length) {
    if (row < before.length && before[row] === after[column]) {
      row += 1
      column += 1
    } else if (
      column >= after.length ||
      (row < before.length && at(common, row + 1, column) >= at(common, row, column + 1))
    ) {
      lines.push(`- ${before[row++]}`)
    } else {
      lines.push(`+ ${after[column++]}`)
    }
  }
  return lines
}

function commonLengths(before: readonly string[], after: readonly string[]): readonly Uint16Array[] {
  const table = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1))
  for (let row = before.length - 1; row >= 0; row -= 1) {
    for (let column = after.length - 1; column >= 0; column -= 1) {
      const length =
        before[row] === after[column]
          ? at(table, row + 1, column + 1) + 1
          : Math.max(at(table, row + 1, column), at(table, row, column + 1))
      table[row]?.fill(length, column, column + 1)
    }
  }
  return table
}

function at(table: readonly Uint16Array[], row: number, column: number): number {
  return table[row]?.[column] ?? 0
}
