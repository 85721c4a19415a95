import { stringifyJson } from '../../util/json/json.js'
import { shortPath } from '../../util/text/short-path.js'
import type { RunResult } from '../run-files.js'

/** For programs: one object with every test. */
export function jsonReport({ files, passed, failed, passes, durationMs }: RunResult): string {
  return stringifyJson(
    {
      passes,
      passed,
      failed,
      duration_ms: durationMs,
      files: files.map((file) => ({
        path: shortPath(file.path),
        problems: file.problems,
        skipped: file.skipped,
        obsolete_snapshots: file.obsolete,
        tests: file.results.map(({ durationMs: duration_ms, rendered: _, line, ...result }) => ({
          ...result,
          line: line(),
          duration_ms,
        })),
      })),
    },
    2,
  )
}
