import { changesOf } from './word-diff.js'

/** A line of a diff. */
export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed'
  readonly text: string
}

/** Lines that stay the same around what changes. */
const CONTEXT = 3

/** The lines of two texts: those that both have, and those that only one of them has. */
export function lineDiff(before: string, after: string): readonly DiffLine[] {
  return changesOf(linesOf(before), linesOf(after))
}

/** A diff that `git apply` and `patch` take; empty for texts that are the same. */
export function unifiedDiff(file: string, before: string, after: string): string {
  const hunks = hunksOf(lineDiff(before, after))
  if (hunks.length === 0) return ''
  const from = before === '' ? '/dev/null' : `a/${file}`
  return [`diff --git a/${file} b/${file}`, `--- ${from}`, `+++ b/${file}`, ...hunks, ''].join('\n')
}

const SIGNS = { same: ' ', added: '+', removed: '-' } as const
const NO_NEWLINE = '\\ No newline at end of file'

function hunksOf(lines: readonly DiffLine[]): readonly string[] {
  const hunks: string[] = []
  const places = lines.flatMap(({ kind }, index) => (kind === 'same' ? [] : [index]))
  for (let at = 0; at < places.length; ) {
    const start = Math.max(0, (places[at] ?? 0) - CONTEXT)
    let end = (places[at] ?? 0) + 1 + CONTEXT
    for (at += 1; at < places.length && (places[at] ?? 0) - CONTEXT <= end; at += 1)
      end = (places[at] ?? 0) + 1 + CONTEXT
    hunks.push(hunkOf(lines, start, Math.min(end, lines.length)))
  }
  return hunks
}

function hunkOf(lines: readonly DiffLine[], start: number, end: number): string {
  const [before, after] = [count(lines.slice(0, start), 'added'), count(lines.slice(0, start), 'removed')]
  const part = lines.slice(start, end)
  const head = `@@ -${range(before, count(part, 'added'))} +${range(after, count(part, 'removed'))} @@`
  const body = part.flatMap(({ kind, text }) =>
    text.endsWith('\n') ? [SIGNS[kind] + text.slice(0, -1)] : [SIGNS[kind] + text, NO_NEWLINE],
  )
  return [head, ...body].join('\n')
}

/** Lines that one side has: those that are not only of the other. */
function count(lines: readonly DiffLine[], other: DiffLine['kind']): number {
  return lines.filter(({ kind }) => kind !== other).length
}

function range(before: number, length: number): string {
  return `${length === 0 ? before : before + 1},${length}`
}

/** With their ends, so that a missing last one shows. */
function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}
