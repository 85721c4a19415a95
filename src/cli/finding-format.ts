import type { Diagnostic } from '../registry/snapshot.js'
import { shortPath } from '../util/text/short-path.js'
import { workflowCommand } from '../util/text/workflow-command.js'

/** How findings are printed: for people, for programs, as annotations of GitHub Actions. One line each. */
export const FINDING_FORMATS = ['text', 'json', 'github'] as const
export type FindingFormat = (typeof FINDING_FORMATS)[number]

/** One line about one finding, without its line break. */
export function formatDiagnostic(finding: Diagnostic, format: FindingFormat): string {
  return FORMATS[format]({ ...finding, location: shortPath(finding.location) })
}

/** How many findings there are of each severity. */
export function countFindings(findings: readonly Diagnostic[]): Record<'errors' | 'warnings', number> {
  const errors = findings.filter(({ severity }) => severity === 'error').length
  return { errors, warnings: findings.length - errors }
}

const FORMATS: Readonly<Record<FindingFormat, (finding: Diagnostic) => string>> = {
  text: toLine,
  json: toJson,
  github: toAnnotation,
}

function toLine(finding: Diagnostic): string {
  const { location, line = 1, column = 1, severity, code } = finding
  const level = severity === 'warning' ? 'warning: ' : ''
  return `${location}:${line}:${column} ${level}${sentence(finding)} [${code}]`
}

function toJson({ location, line, column, severity, code, message, hint, ...rest }: Diagnostic): string {
  const { kind, id, prompt, servingLastGood } = rest
  return JSON.stringify({
    location,
    line,
    column,
    severity,
    code,
    message,
    hint,
    kind,
    id,
    prompt,
    servingLastGood,
  })
}

function toAnnotation(finding: Diagnostic): string {
  const { location, line = 1, column = 1, severity, code } = finding
  return workflowCommand(severity, { file: location, line, col: column, title: code }, sentence(finding))
}

function sentence({ message, hint, prompt }: Diagnostic): string {
  const subject = prompt === undefined ? '' : ` (prompt ${prompt})`
  return `${message}${hint === undefined ? '' : `; ${hint}`}${subject}`
}
