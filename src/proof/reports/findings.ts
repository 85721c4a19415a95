import { shortPath } from '../../util/text/short-path.js'
import type { RunResult } from '../run-files.js'

/** One thing that fails a run, with its place. */
export interface FailedPlace {
  /** For people: relative where that is shorter. */
  readonly file: string
  readonly line: number
  readonly title: string
  readonly message: string
}

/** Everything that fails a run, in order. */
export function failedPlaces({ files }: RunResult): readonly FailedPlace[] {
  return files.flatMap(({ path, problems, results, obsolete }) => {
    const file = shortPath(path)
    return [
      ...problems.map(({ line, message }) => ({ file, line, title: 'test file', message })),
      ...results.flatMap(({ name, failures }) =>
        failures.map(({ line, message }) => ({ file, line, title: name, message })),
      ),
      ...obsolete.map((name) => ({ file, line: 1, title: name, message: 'snapshot without a test' })),
    ]
  })
}
