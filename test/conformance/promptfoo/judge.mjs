// Runs beside an installed promptfoo: judges every row with its own assertion module.
import { readFileSync, writeFileSync } from 'node:fs'
import promptfoo from 'promptfoo'
import { ROWS, VARS } from './rows.mjs'

const { version } = JSON.parse(readFileSync('node_modules/promptfoo/package.json', 'utf8'))

async function verdictOn({ assertion, output, finishReason, tools }) {
  const provider = { id: () => 'p', config: { tools }, callApi: async () => ({}) }
  const response = { output, ...(finishReason !== undefined && { finishReason }) }
  try {
    const result = await promptfoo.assertions.runAssertion({
      assertion: structuredClone(assertion),
      test: { vars: VARS },
      provider,
      providerResponse: response,
    })
    return result.pass ? 'pass' : 'fail'
  } catch {
    return 'error'
  }
}

const verdicts = []
for (const row of ROWS) verdicts.push({ ...row, verdict: await verdictOn(row) })
const lines = verdicts.map((row) => `    ${JSON.stringify(row)}`)
const head = `{\n  "promptfoo": ${JSON.stringify(version)},\n  "vars": ${JSON.stringify(VARS)},\n  "rows": [\n`
writeFileSync(process.argv[2], `${head}${lines.join(',\n')}\n  ]\n}\n`)
console.log(`${verdicts.length} rows`)
