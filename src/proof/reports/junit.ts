import { shortPath } from '../../util/text/short-path.js'
import type { FileResult, RunResult } from '../run-files.js'

/** JUnit XML, as CI servers read it: a suite for each file. What is wrong with a file is a test case of its own. */
export function junitReport({ files, durationMs }: RunResult): string {
  const suites = files.map((file) => suiteOf(file, casesOf(file)))
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="ai-prompt-shell" time="${seconds(durationMs)}">`,
    ...suites,
    '</testsuites>',
    '',
  ].join('\n')
}

interface Case {
  readonly name: string
  readonly className: string
  readonly durationMs: number
  readonly failures: readonly string[]
}

function casesOf({ path, results, problems, obsolete }: FileResult): readonly Case[] {
  const file = shortPath(path)
  const wrong = [
    ...problems.map(({ line, message }) => `${file}:${line}: ${message}`),
    ...obsolete.map((name) => `${file}: snapshot without a test: ${name}`),
  ]
  return [
    ...results.map(({ name, prompt, durationMs, failures }) => ({
      name,
      className: prompt,
      durationMs,
      failures: failures.map(({ line, message }) => `${file}:${line}: ${message}`),
    })),
    ...(wrong.length === 0 ? [] : [{ name: 'the file', className: file, durationMs: 0, failures: wrong }]),
  ]
}

function suiteOf({ path }: FileResult, cases: readonly Case[]): string {
  const failed = cases.filter(({ failures }) => failures.length > 0).length
  const time = seconds(cases.reduce((sum, each) => sum + each.durationMs, 0))
  const counts = `tests="${cases.length}" failures="${failed}" errors="0" time="${time}"`
  return [
    `  <testsuite name="${escaped(shortPath(path))}" ${counts}>`,
    ...cases.map(caseOf),
    '  </testsuite>',
  ].join('\n')
}

function caseOf({ name, className, durationMs, failures }: Case): string {
  const head = `    <testcase name="${escaped(name)}" classname="${escaped(className)}" time="${seconds(durationMs)}"`
  const [first] = failures
  if (first === undefined) return `${head}/>`
  return `${head}>\n      <failure message="${escaped(first)}">${escaped(failures.join('\n'))}</failure>\n    </testcase>`
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(3)
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
}

/** XML 1.0 has no other control characters than tab and line ends. */
function escaped(text: string): string {
  return text
    .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f]/g, '')
    .replace(/[&<>"\n]/g, (mark) => ENTITIES[mark] ?? mark)
}
