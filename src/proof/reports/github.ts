import { workflowCommand } from '../../util/text/workflow-command.js'
import type { RunResult } from '../run-files.js'
import { failedPlaces } from './findings.js'
import { textReport } from './text.js'

/** For GitHub Actions: an annotation for each failure, then what people read. */
export function githubReport(run: RunResult): string {
  const annotations = failedPlaces(run).map(({ file, line, title, message }) =>
    workflowCommand('error', { file, line, title }, message),
  )
  return [...annotations, textReport(run)].join('\n')
}
