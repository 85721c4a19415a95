import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { countTokens } from '../../../src/prompts/count-tokens.js'
import { createTemplateEngine } from '../../../src/prompts/create-template-engine.js'
import { tokenBill } from '../../../src/prompts/token-bill.js'
import type { RenderOptions } from '../../../src/template/api.js'
import { compileForHost as compileHost } from '../../../src/template/compile.js'
import { compile, TemplateError } from '../../../src/template/index.js'
import { engineFunction } from '../../../src/template/library/engine-function.js'
import { createSnapshot } from '../../support/create-snapshot.js'
import { readyAfterSlices } from '../../support/ready-after-slices.js'
import { someOf } from '../../support/some-of.js'
import { type Case, formatCases, parseCases, readCases } from './case-file.mjs'
import { functions } from './functions.mjs'
import { decodeData, differences, Subject, toEngineString } from './observe.mjs'

/** Each slice is one of a guard that lets it go on. */
const GUARDED: RenderOptions = { guard: (slice) => slice(), isDoubted: true }
const CASES = join(import.meta.dirname, 'cases')
const LEAST_CASES = 1500
const MOST_REPORTED = 25
/** Files have up to a thousand cases, each run in ten ways, on whatever machine. */
const PATIENCE_MS = 120_000

// They stand for Go's functions: they get what Go's functions would.
for (const { call } of Object.values(functions)) engineFunction(call)

const subject = new Subject({ compile, TemplateError })
/** Whose functions are called after the slice that reaches them: all that depends on them runs in steps. */
const unready = new Subject({ compile, TemplateError }, readyAfterSlices(functions))
const adaptive = new Subject({ compile, TemplateError }, functions, {}, 'adaptive')
const files = readdirSync(CASES)
  .filter((name) => name.endsWith('.cases'))
  .map((name) => ({ name, ...readCases(join(CASES, name)) }))

const NO_CATALOG = createSnapshot([], createTemplateEngine(262_144))

describe('as real Go does', () => {
  it.each(files)(
    '$name',
    async ({ name, cases }) => {
      const reports = await reportsOf(subject, name.startsWith('generated-') ? someOf(cases) : cases)
      const shown = reports.slice(0, MOST_REPORTED).join('\n')
      expect(reports.length, `${reports.length} of ${cases.length} cases differ\n${shown}`).toBe(0)
    },
    PATIENCE_MS,
  )

  it.each(files)(
    '$name, with adaptive numbers wherever Go has no complaint',
    async ({ cases }) => {
      const fitting = someOf(cases.filter(hasNoComplaint))
      const reports = await reportsOf(adaptive, fitting)
      const shown = reports.slice(0, MOST_REPORTED).join('\n')
      expect(reports.length, `${reports.length} of ${fitting.length} cases differ\n${shown}`).toBe(0)
    },
    PATIENCE_MS,
  )

  it.each(files)(
    '$name: the tokens of each origin add up to those of the text',
    async ({ cases }) => {
      const wrong: string[] = []
      for (const { name, template: source, data, options } of someOf(cases.filter(hasNoComplaint))) {
        if (options.delimiters !== undefined) continue
        const template = compileHost(toEngineString(source), { functions, numbers: 'go' })
        const traced = await template.trace(decodeData(data), { missingKey: options.missingKey ?? 'default' })
        const prompt = { kind: 'prompt', text: traced.text, warnings: [] } as const
        const request = {
          compiled: { kind: 'prompt', template, revision: '' },
          snapshot: NO_CATALOG,
        } as const
        const { origins, prefix } = await tokenBill({ prompt, spans: [traced.spans] }, request)
        const [sum, whole] = [
          origins.reduce((all, { tokens }) => all + tokens, 0),
          await countTokens([traced.text]),
        ]
        if (sum !== whole || prefix.stable_tokens > whole || prefix.could_be > whole)
          wrong.push(`${name}: ${sum}, ${whole}, ${prefix.stable_tokens}, ${prefix.could_be}`)
      }
      expect(wrong).toEqual([])
    },
    PATIENCE_MS,
  )

  it('has enough cases, each with an expectation', () => {
    const all = files.flatMap(({ cases }) => cases)
    expect(all.length).toBeGreaterThanOrEqual(LEAST_CASES)
    expect(all.filter(({ expected }) => !expected).map(({ name }) => name)).toEqual([])
  })

  it('reads back every case file that it writes', () => {
    for (const file of files)
      expect([file.name, isDeepStrictEqual(parseCases(formatCases(file)).cases, file.cases)]).toEqual([
        file.name,
        true,
      ])
  })
})

/**
 * What the cases do differently: every one as a text, some of them in all ways, such as the service's own. One after
 * another, for what they all need at once is a lot.
 */
async function reportsOf(subject: Subject, cases: readonly Case[]): Promise<readonly string[]> {
  const inAllWays = new Set(someOf(cases))
  const reports: string[] = []
  for (const one of cases) {
    const text = await report(subject, one, inAllWays.has(one))
    if (text !== '') reports.push(text)
  }
  return reports
}

/** True if Go prints something, and no verb in it is bad. */
function hasNoComplaint({ expected }: Case): boolean {
  return expected?.kind === 'output' && expected.output?.includes('%!') === false
}

/** Runs one case in one way, or in all; empty if they agree with Go. */
async function report(subject: Subject, testCase: Case, inAllWays: boolean): Promise<string> {
  const { expected, name, template } = testCase
  if (!expected) return ''
  const data = decodeData(testCase.data)
  const ways = {
    renderSync: subject.runSync(testCase, data),
    ...(inAllWays && (await otherWays(subject, testCase, data))),
  }
  const lines = Object.entries(ways).flatMap(([way, seen]) => {
    const differing = differences(expected, seen)
    return differing.length > 0 ? [`  ${way}`, ...differing.map((line) => `    ${line}`)] : []
  })
  if (lines.length === 0) return ''
  return [`=== ${name}`, `  ${template.toString()}`, `  ${testCase.data}`, ...lines].join('\n')
}

async function otherWays(subject: Subject, testCase: Case, data: unknown) {
  return {
    executed: await subject.runJson(testCase, data),
    render: await subject.run(testCase, data),
    renderBytes: await subject.runBytes(testCase, data),
    renderInto: subject.runInto(testCase, data),
    traced: await subject.runTraced(testCase, data),
    guarded: await subject.run(testCase, data, GUARDED),
    ...(subject.numbers === unready.numbers && { unready: await unready.run(testCase, data, GUARDED) }),
    folded: subject.runFolded(testCase, data),
    json: subject.runSync(testCase, data, { output: 'json' }),
    ...subject.runSettled(testCase, data),
  }
}
