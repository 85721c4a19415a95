import type { RenderOptions, TemplateError } from '../../../src/template/api.js'
import type { compile, FunctionTable, Numbers, TemplateLimits } from '../../../src/template/index.js'
import type { Case, Outcome } from './case-file.mjs'

export function decodeData(text: string): unknown
export function toEngineString(bytes: Buffer): string
export function differences(expected: Outcome, seen: Outcome): readonly string[]

export class Subject {
  readonly numbers: Numbers
  constructor(
    engine: { readonly compile: typeof compile; readonly TemplateError: typeof TemplateError },
    table?: FunctionTable,
    limits?: Partial<TemplateLimits>,
    numbers?: Numbers,
  )
  runSync(testCase: Case, data?: unknown, more?: { readonly output?: 'text' | 'json' }): Outcome
  runTraced(testCase: Case, data?: unknown): Promise<Outcome>
  runBytes(testCase: Case, data?: unknown): Promise<Outcome>
  runInto(testCase: Case, data?: unknown): Outcome
  runJson(testCase: Case, data?: unknown): Promise<Outcome>
  runFolded(testCase: Case, data?: unknown): Outcome
  runSettled(testCase: Case, data?: unknown): Readonly<Record<string, Outcome>>
  run(testCase: Case, data?: unknown, more?: RenderOptions): Promise<Outcome>
}
