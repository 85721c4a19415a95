/** Lines or words; longer texts are reported as changed, without them. */
const MAX_LINES = 2_000

/** An item of one of two sequences, or of both. */
export interface Aligned {
  readonly sign: '-' | '+' | ' '
  readonly text: string
}

/** The lines taken away (`- `) and added (`+ `), by the longest common subsequence. */
export function changedLines(before: readonly string[], after: readonly string[]): string[] {
  if (isTooLong(before, after)) return ['(too long to show)']
  return align(before, after)
    .filter(({ sign }) => sign !== ' ')
    .map(({ sign, text }) => `${sign} ${text}`)
}

/**
 * Both texts as one, as `git diff --word-diff` prints it: `[-what is taken away-]` and `{+what is added+}`; undefined for
 * texts of more than 2,000 words.
 */
export function changedWords(before: string, after: string): string | undefined {
  const [was, is] = [wordsOf(before), wordsOf(after)]
  if (isTooLong(was, is)) return undefined
  const runs = align(was, is).reduce<Aligned[]>((all, { sign, text }) => {
    const last = all.at(-1)
    if (last?.sign === sign) all[all.length - 1] = { sign, text: last.text + text }
    else all.push({ sign, text })
    return all
  }, [])
  return runs.map(({ sign, text }) => MARKS[sign](text)).join('')
}

const MARKS = {
  '-': (text: string) => `[-${text}-]`,
  '+': (text: string) => `{+${text}+}`,
  ' ': (text: string) => text,
} as const

/** Words and the space between them: nothing is lost. */
function wordsOf(text: string): readonly string[] {
  return text.match(/\s+|[^\s]+/g) ?? []
}

function isTooLong(before: readonly string[], after: readonly string[]): boolean {
  return before.length > MAX_LINES || after.length > MAX_LINES
}

function align(before: readonly string[], after: readonly string[]): readonly Aligned[] {
  const common = commonLengths(before, after)
  const aligned: Aligned[] = []
  let row = 0
  let column = 0
  while (row < before.length || column < after.length) {
    const [was = '', is = ''] = [before[row], after[column]]
    const isLeft = row < before.length
    if (isLeft && column < after.length && was === is) {
      aligned.push({ sign: ' ', text: was })
      row += 1
      column += 1
    } else if (
      column >= after.length ||
      (isLeft && at(common, row + 1, column) >= at(common, row, column + 1))
    ) {
      aligned.push({ sign: '-', text: was })
      row += 1
    } else {
      aligned.push({ sign: '+', text: is })
      column += 1
    }
  }
  return aligned
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
