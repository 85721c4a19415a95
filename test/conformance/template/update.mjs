/** Writes the expectations of the conformance cases again with real Go: `npm run conformance:update [-- file…]`. */
import { readdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { formatCases, readCases } from './case-file.mjs'
import { generatedFiles } from './generate.mjs'
import { startOracle, toExpectation, toRequest } from './oracle.mjs'

const DIRECTORY = join(import.meta.dirname, 'cases')
const only = new Set(process.argv.slice(2).map((name) => basename(name)))
const wanted = (name) => only.size === 0 || only.has(name)

const files = new Map(
  readdirSync(DIRECTORY)
    .filter((name) => name.endsWith('.cases') && !name.startsWith('generated-'))
    .map((name) => [name, readCases(join(DIRECTORY, name))]),
)
for (const [name, file] of generatedFiles()) files.set(name, file)

const oracle = await startOracle()
let total = 0
try {
  for (const [name, file] of files) {
    if (!wanted(name)) continue
    const cases = await Promise.all(file.cases.map(expect))
    writeFileSync(join(DIRECTORY, name), formatCases({ ...file, cases }))
    total += cases.length
  }
} finally {
  oracle.close()
}
console.log(`${total} cases answered by Go ${oracle.version}`)

async function expect(testCase) {
  const { ours } = testCase.options
  if (ours) return testCase
  const expected = toExpectation(await oracle.ask(toRequest(testCase)))
  if (!expected) throw new Error(`Go does not end on: ${testCase.name}`)
  return { ...testCase, expected }
}
