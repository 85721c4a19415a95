const WORDS = /\s+|[\p{L}\p{N}_]+|./gsu
/** Longer changes are shown as the whole of what was and what is, cut. */
const MAX_WORDS = 1_200
/** Words of what is equal beside a change. */
const CONTEXT = 12
const MAX_SHOWN = 2_000

/**
 * How two texts differ, word by word: `[-removed-]` and `{+added+}` among some words of what stays, `…` for what is left
 * out.
 */
export function wordDiff(before: string, after: string): string {
  const [one, other] = [wordsOf(before), wordsOf(after)]
  let start = 0
  while (start < one.length && start < other.length && one[start] === other[start]) start += 1
  let end = 0
  const most = Math.min(one.length, other.length) - start
  while (end < most && one[one.length - 1 - end] === other[other.length - 1 - end]) end += 1
  const removed = one.slice(start, one.length - end)
  const added = other.slice(start, other.length - end)
  const lead = one.slice(Math.max(0, start - CONTEXT), start).join('')
  const rest = one.slice(one.length - end, one.length - end + CONTEXT).join('')
  const middle =
    removed.length > MAX_WORDS || added.length > MAX_WORDS
      ? marked(removed.join(''), added.join(''))
      : changesBetween(removed, added)
  return `${start > CONTEXT ? '…' : ''}${lead}${middle}${rest}${end > CONTEXT ? '…' : ''}`
}

/** How many characters differ: what is not part of the common beginning and end. */
export function differenceOf(before: string, after: string): number {
  let start = 0
  const shorter = Math.min(before.length, after.length)
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start += 1
  let end = 0
  while (
    end < shorter - start &&
    before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)
  )
    end += 1
  return before.length + after.length - 2 * (start + end)
}

function wordsOf(text: string): readonly string[] {
  return text.match(WORDS) ?? []
}

function marked(removed: string, added: string): string {
  return `${removed === '' ? '' : `[-${shown(removed)}-]`}${added === '' ? '' : `{+${shown(added)}+}`}`
}

function shown(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}

/** By the longest common subsequence. */
function changesBetween(before: readonly string[], after: readonly string[]): string {
  const width = after.length + 1
  const common = new Uint16Array((before.length + 1) * width)
  const lengthAt = (row: number, column: number) => common[row * width + column] ?? 0
  for (let row = before.length - 1; row >= 0; row -= 1)
    for (let column = after.length - 1; column >= 0; column -= 1)
      common[row * width + column] =
        before[row] === after[column]
          ? lengthAt(row + 1, column + 1) + 1
          : Math.max(lengthAt(row + 1, column), lengthAt(row, column + 1))
  let [row, column, removed, added, text] = [0, 0, '', '', '']
  const settle = () => {
    text += marked(removed, added)
    removed = ''
    added = ''
  }
  while (row < before.length || column < after.length) {
    const [was, is] = [before[row], after[column]]
    if (was !== undefined && was === is) {
      settle()
      text += was
      row += 1
      column += 1
    } else if (
      is === undefined ||
      (was !== undefined && lengthAt(row + 1, column) >= lengthAt(row, column + 1))
    ) {
      removed += was ?? ''
      row += 1
    } else {
      added += is
      column += 1
    }
  }
  settle()
  return text
}
