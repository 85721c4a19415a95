import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { compile, type Template, TemplateError } from '../../../src/template/index.js'
import { someOf } from '../../support/some-of.js'
import { type Case, formatCases, parseCases, readCases } from '../template/case-file.mjs'
import { decodeData, differences, Subject } from '../template/observe.mjs'
import { renderReference } from './reference.js'

const CASES = join(import.meta.dirname, 'cases')
const LEAST_ROWS = 60
const MOST_REPORTED = 25

type CaseWithPartials = Case & { readonly options: { readonly partials?: Readonly<Record<string, string>> } }

const files = readdirSync(CASES)
  .filter((name) => name.endsWith('.cases'))
  .map((name) => ({ name, ...readCases(join(CASES, name)) }))

describe('the Handlebars subset, by its rules', () => {
  it.each(files)('$name', async ({ cases }) => {
    const inAllWays = new Set(someOf(cases))
    const seen = await Promise.all(cases.map((each) => report(each, inAllWays.has(each))))
    const reports = seen.filter((text) => text !== '')
    const shown = reports.slice(0, MOST_REPORTED).join('\n')
    expect(reports.length, `${reports.length} of ${cases.length} cases differ\n${shown}`).toBe(0)
  })

  it.each(files)('$name agrees with the plain walk over the tree', ({ cases }) => {
    for (const testCase of cases) {
      if (testCase.expected?.kind === 'parse error') continue
      const { partials } = (testCase as CaseWithPartials).options
      const seen = renderReference(testCase.template.toString(), decodeData(testCase.data), partials)
      expect(seen.output, testCase.name).toBe(String(testCase.expected?.output))
      expect(seen.kind, testCase.name).toBe(testCase.expected?.kind)
    }
  })

  it('has enough cases of everything, each with an expectation', () => {
    for (const { name, cases } of files) {
      expect(cases.length, name).toBeGreaterThanOrEqual(LEAST_ROWS)
      expect(cases.filter(({ expected }) => !expected)).toEqual([])
    }
  })

  it('reads back every case file that it writes', () => {
    for (const file of files) expect(parseCases(formatCases(file)).cases).toEqual(file.cases)
  })
})

/** Runs one case, in every way or in those that most renders go; empty if all agree with the expectation. */
async function report(testCase: Case, inAllWays: boolean): Promise<string> {
  const { expected, name, template } = testCase
  if (!expected) return ''
  const data = decodeData(testCase.data)
  const subject = subjectOf(testCase)
  const ways = {
    renderSync: subject.runSync(testCase, data),
    render: await subject.run(testCase, data),
    json: subject.runSync(testCase, data, { output: 'json' }),
    executed: await subject.runJson(testCase, data),
    ...(inAllWays && {
      traced: await subject.runTraced(testCase, data),
      ...subject.runSettled(testCase, data),
    }),
  }
  const lines = Object.entries(ways).flatMap(([way, seen]) => {
    const differing = differences(expected, seen)
    return differing.length > 0 ? [`  ${way}`, ...differing.map((line) => `    ${line}`)] : []
  })
  return lines.length === 0 ? '' : [`=== ${name}`, `  ${template}`, `  ${testCase.data}`, ...lines].join('\n')
}

/** The engine with the case's partials, which may include each other. */
function subjectOf(testCase: Case): Subject {
  const { partials = {} } = (testCase as CaseWithPartials).options
  const compiled = new Map<string, Template>()
  for (const [name, source] of Object.entries(partials)) {
    compiled.set(name, compile(source, { name, dialect: 'handlebars', partials: compiled }))
  }
  return new Subject({
    compile: (source, { name } = {}) =>
      compile(source, { ...(name === undefined ? {} : { name }), dialect: 'handlebars', partials: compiled }),
    TemplateError,
  })
}
