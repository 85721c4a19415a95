/** What one check found. `mend` is what something has to be done about; `note` is good to know. */
export interface Finding {
  /** What was looked at, such as `upstream`. */
  readonly check: string
  readonly status: 'ok' | 'note' | 'mend'
  readonly message: string
  /** What to do; of `mend` always. */
  readonly advice?: string
}

const MARKS: Readonly<Record<Finding['status'], string>> = { ok: 'ok  ', note: 'note', mend: 'FIX ' }
const CHECK_WIDTH = 13

/** A finding as one line, and another one with what to do. */
export function formatFinding({ check, status, message, advice }: Finding): string {
  const line = `${MARKS[status]}  ${check.padEnd(CHECK_WIDTH)}  ${message}\n`
  return advice === undefined ? line : `${line}      ${' '.repeat(CHECK_WIDTH)}  → ${advice}\n`
}
