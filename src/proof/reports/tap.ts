import type { RunResult } from '../run-files.js'
import type { TestResult } from '../run-test.js'
import { failedPlaces } from './findings.js'

/** The Test Anything Protocol, version 14. What is wrong with a file is a test that failed. */
export function tapReport(run: RunResult): string {
  const results = run.files.flatMap((file) => file.results.map(pointOf))
  const named: ReadonlySet<string> = new Set(
    run.files.flatMap((file) => file.results.map(({ name }) => name)),
  )
  const others = failedPlaces(run)
    .filter(({ title }) => !named.has(title))
    .map(({ file, line, message }) => ({ isOk: false, name: `${file}:${line}`, messages: [message] }))
  const points = [...results, ...others]
  return ['TAP version 14', `1..${points.length}`, ...points.flatMap(linesOf)].join('\n')
}

interface Point {
  readonly isOk: boolean
  readonly name: string
  readonly messages: readonly string[]
}

function pointOf({ name, passes, failures }: TestResult): Point {
  return { isOk: passes, name, messages: failures.map(({ line, message }) => `line ${line}: ${message}`) }
}

function linesOf({ isOk, name, messages }: Point, index: number): readonly string[] {
  const head = `${isOk ? 'ok' : 'not ok'} ${index + 1} - ${escaped(name)}`
  if (isOk) return [head]
  return [head, '  ---', ...messages.map((message) => `  - ${JSON.stringify(message)}`), '  ...']
}

/** A name is one line, in which `#` and `\` mean something. */
function escaped(name: string): string {
  return name.replace(/[\\#]/g, '\\$&').replace(/\s+/g, ' ')
}
