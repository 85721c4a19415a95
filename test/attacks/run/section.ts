/** A part of the full run. */
export interface Section {
  readonly name: string
  /** @param row only rows whose names have this in them; the signals run as a whole */
  run(repetitions: number, row?: string): Promise<SectionResult>
}

/** What it found. */
export interface SectionResult {
  /** Markdown, without a heading. */
  readonly text: string
  /** Rows over a bound or with a wrong answer, and services that did not end well. */
  readonly failures: number
}
