/** What Go did, or what the engine did. */
export interface Outcome {
  readonly kind: 'output' | 'error' | 'parse error' | 'panic' | 'crash'
  /** The output of a success, or what was written before an execution failed. */
  readonly output?: Buffer
  readonly error?: Buffer
  /** The tree printed back. */
  readonly printed?: Buffer
}

export interface CaseOptions {
  readonly missingKey?: 'default' | 'zero' | 'error'
  readonly name?: string
  readonly delimiters?: readonly [string, string]
  readonly print?: boolean
  readonly ours?: boolean
}

export interface Case {
  readonly name: string
  readonly options: CaseOptions
  /** JSON text. */
  readonly data: string
  readonly template: Buffer
  readonly expected?: Outcome
}

export interface CaseFile {
  readonly comment: string
  readonly cases: readonly Case[]
}

export function parseCases(text: string): CaseFile
export function readCases(path: string): CaseFile
export function formatCases(file: CaseFile): string
