import { lineDiff } from './unified-diff.js'

/** Lines that a printer writes, and what the author wrote for them. */
interface Block {
  readonly printed: readonly string[]
  readonly written: readonly string[]
}

/**
 * A text as its author wrote it, with what changes between two prints of what it says: where those have the same lines, the
 * author's stay, however he spaces them.
 */
export function withPrintedChanges(written: string, before: string, after: string): string {
  const changes = lineDiff(before, after)
  const lines: string[] = []
  let at = 0
  for (const block of blocksOf(lineDiff(before, written))) {
    // The next lines of the print that belong to this block, with what is added among them.
    const part: (typeof changes)[number][] = []
    for (let open = block.printed.length; at < changes.length; at += 1) {
      const change = changes[at]
      if (change === undefined || (open === 0 && change.kind !== 'added')) break
      if (change.kind !== 'added') open -= 1
      part.push(change)
    }
    lines.push(...keptOf(part, block.written))
  }
  return lines.join('')
}

/** The author's lines where nothing of theirs is removed, with what is added behind them; else the printed ones. */
function keptOf(part: ReturnType<typeof lineDiff>, written: readonly string[]): readonly string[] {
  const added = part.filter(({ kind }) => kind === 'added')
  const last = part.findLastIndex(({ kind }) => kind === 'same')
  const isWhole = part.every(({ kind }, index) => kind === 'same' || (kind === 'added' && index > last))
  return isWhole
    ? [...written, ...added.map(({ text }) => text)]
    : part.filter(({ kind }) => kind !== 'removed').map(({ text }) => text)
}

/** Lines that are the same are blocks of their own; others replace each other in stretches, line by line where they can. */
function blocksOf(lines: ReturnType<typeof lineDiff>): readonly Block[] {
  const blocks: Block[] = []
  let [printed, written]: [string[], string[]] = [[], []]
  const close = () => {
    if (printed.length === written.length)
      blocks.push(...printed.map((line, index) => ({ printed: [line], written: [written[index] ?? ''] })))
    else blocks.push({ printed, written })
    ;[printed, written] = [[], []]
  }
  for (const { kind, text } of lines) {
    if (kind === 'removed') printed.push(text)
    else if (kind === 'added') written.push(text)
    else {
      close()
      blocks.push({ printed: [text], written: [text] })
    }
  }
  close()
  return blocks
}
