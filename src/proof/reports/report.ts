import type { RunResult } from '../run-files.js'
import { githubReport } from './github.js'
import { jsonReport } from './json.js'
import { tapReport } from './tap.js'
import { textReport } from './text.js'

/** How results are printed: for people, for programs, as annotations of GitHub Actions, as TAP 14. */
export const REPORT_FORMATS = ['text', 'json', 'github', 'tap'] as const
export type ReportFormat = (typeof REPORT_FORMATS)[number]

/** What a run is printed as, without its last line break. */
export function formatReport(run: RunResult, format: ReportFormat): string {
  return REPORTS[format](run)
}

const REPORTS: Readonly<Record<ReportFormat, (run: RunResult) => string>> = {
  text: textReport,
  json: jsonReport,
  github: githubReport,
  tap: tapReport,
}
