import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { TestedOutput } from '../../../src/proof/assertions/assertion.js'
import { SHARED_ASSERTIONS, UNNEGATED_ASSERTIONS } from '../../../src/proof/assertions/assertions.js'
import { judge } from '../../../src/proof/assertions/judge.js'
import { parseTestFile } from '../../../src/proof/files/read-test-file.js'
import { type JsonObject, type JsonValue, stringifyJson, textOrJson } from '../../../src/util/json/json.js'

/** One row of the table that the real promptfoo made: `npm run conformance:promptfoo` writes it. */
interface Row {
  readonly assertion: JsonObject
  readonly output: JsonValue
  readonly finishReason?: string
  readonly tools?: readonly { readonly function: JsonObject }[]
  readonly verdict: 'pass' | 'fail' | 'error'
}

const table: { readonly vars: JsonObject; readonly rows: readonly Row[] } = JSON.parse(
  readFileSync(join(import.meta.dirname, 'verdicts.json'), 'utf8'),
)

/** Judged from the text of a test file on. An error fails a test, as it does there. */
async function verdictOn({ assertion, output, finishReason, tools = [] }: Row): Promise<string> {
  const file = stringifyJson({ tests: [{ providerOutput: output, prompt: 'a.b', assert: [assertion] }] })
  const [test] = parseTestFile('/tests/a.test.yaml', file).tests
  const [claim] = test?.claims ?? []
  if (claim === undefined) return 'unknown'
  const text = textOrJson(output)
  const subject: TestedOutput = {
    ...{ output, text, vars: table.vars, messages: [], rendered: undefined, failure: undefined, calls: [] },
    ...{ spans: [], texts: [text], latencyMs: undefined, cost: undefined, finishReason, folder: '/' },
    functions: tools.map((tool) => tool.function),
  }
  return (await judge(subject, claim)).passes ? 'pass' : 'fail'
}

describe('the verdicts of promptfoo', () => {
  it('are ours, in every row', async () => {
    const wrong: object[] = []
    for (const row of table.rows) {
      const ours = await verdictOn(row)
      if ((ours === 'pass') !== (row.verdict === 'pass')) wrong.push({ ...row, ours })
    }
    expect(wrong).toEqual([])
  })

  it('are known for every shared assertion, but for those that need a clock or prices', () => {
    const asked = new Set(table.rows.map(({ assertion }) => String(assertion['type']).replace(/^not-/, '')))
    const shared = Object.keys({ ...SHARED_ASSERTIONS, ...UNNEGATED_ASSERTIONS })
    expect(shared.filter((name) => !asked.has(name))).toEqual(['latency', 'cost'])
    expect(table.rows.length).toBeGreaterThanOrEqual(400)
  })
})
