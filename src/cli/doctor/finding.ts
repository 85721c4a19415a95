/** What one check found. `fix` is what something has to be done about; `note` is good to know. */
export interface Finding {
  /** What was looked at, such as `upstream`. */
  readonly check: string
  readonly status: 'ok' | 'note' | 'fix'
  readonly message: string
  /** What to do; of `fix` always. */
  readonly advice?: string
}

const MARKS: Readonly<Record<Finding['status'], string>> = { ok: 'ok  ', note: 'note', fix: 'FIX ' }
const CHECK_WIDTH = 13

/** A finding as one line, and another one with what to do. */
export function formatFinding({ check, status, message, advice }: Finding): string {
  const line = `${MARKS[status]}  ${check.padEnd(CHECK_WIDTH)}  ${message}\n`
  return advice === undefined ? line : `${line}      ${' '.repeat(CHECK_WIDTH)}  → ${advice}\n`
}
