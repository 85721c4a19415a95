/** Longer texts are reported as changed, without their lines. */
const MAX_LINES = 2_000

/** The lines taken away (`- `) and added (`+ `), by the longest common subsequence. */
export function changedLines(before: readonly string[], after: readonly string[]): string[] {
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
