import { changedLines } from '../../util/text/changed-lines.js'
import { counted } from '../../util/text/counted.js'
import { shortPath } from '../../util/text/short-path.js'
import { type FileResult, hasFailed, type RunResult } from '../run-files.js'
import type { TestFailure } from '../run-test.js'

/** For people: what failed, with its place and what differs, and one line that counts. */
export function textReport(run: RunResult): string {
  return [...run.files.flatMap(linesOf), summaryOf(run)].join('\n')
}

function summaryOf({ files, passed, failed }: RunResult): string {
  const written = files.filter(({ hasWritten }) => hasWritten).length
  const parts = [
    `${counted(passed + failed, 'test')}: ${passed} passed, ${failed} failed`,
    ...(written > 0 ? [`${counted(written, 'file')} of snapshots written`] : []),
  ]
  return parts.join('; ')
}

function linesOf(file: FileResult): readonly string[] {
  const place = shortPath(file.path)
  const problems = file.problems.map(({ line, column, message }) => `${place}:${line}:${column} ${message}`)
  const skipped = file.skipped.map(
    ({ line, column, message }) => `${place}:${line}:${column} skipped: ${message}`,
  )
  const failed = file.results
    .filter(({ passes }) => !passes)
    .flatMap(({ name, failures }) => [`✗ ${name}`, ...failures.flatMap((each) => failureLines(place, each))])
  const obsolete = file.obsolete.map(
    (name) => `${place} snapshot without a test: ${name} (--update removes it)`,
  )
  const mark = hasFailed(file) ? [] : [`✓ ${place} (${file.results.length})`]
  return [...mark, ...problems, ...skipped, ...failed, ...obsolete]
}

function failureLines(place: string, { message, line, texts }: TestFailure): readonly string[] {
  return [`  ${place}:${line} ${message}`, ...(texts === undefined ? [] : diffLines(texts))]
}

/** The lines that differ. */
function diffLines({ before, after }: NonNullable<TestFailure['texts']>): readonly string[] {
  return changedLines(before.split('\n'), after.split('\n')).map((line) => `    ${line}`)
}
