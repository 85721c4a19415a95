/**
 * Differential fuzzing against real Go: `npm run fuzz:go -- --cases 10000 --seed 1`.
 *
 * Every case follows from the seed and its number (`--only N` runs one again). Differences are shrunk and written
 * as conformance cases to the report (`--report file`), ready to be added to `cases/`. `--waiting` wraps every
 * function so that it answers later, which must change nothing. `--numbers adaptive` checks the cases that Go does not
 * complain of.
 */
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { compile, TemplateError } from '../../../../dist/template/index.js'
import { engineFunction } from '../../../../dist/template/library/engine-function.js'
import { formatCases } from '../case-file.mjs'
import { functions } from '../functions.mjs'
import { differences, Subject } from '../observe.mjs'
import { startOracle, toExpectation, toRequest } from '../oracle.mjs'
import { randomCase } from './grammar.mjs'
import { caseSeed, createRandom } from './random.mjs'
import { shrink } from './shrink.mjs'

const { values: flags } = parseArgs({
  options: {
    cases: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    report: { type: 'string' },
    most: { type: 'string', default: '25' },
    waiting: { type: 'boolean', default: false },
    numbers: { type: 'string', default: 'go' },
  },
})
const seed = Number(flags.seed)
const count = flags.only ? 1 : Number(flags.cases)
const first = Number(flags.only ?? 0)
const BATCH = 250
/** Go's answers that ours need not have: Go's own limits, and addresses, also those whose digits were printed as hex. */
const INCOMPARABLE =
  /exceeded maximum template depth|0x0*[0-9a-f]{6,}|c0[0-9a-f]{8}|30 ?78 ?(?:(?:3[0-9]|6[1-6]) ?){6,}/i

/** What only the engine refuses, so that nobody else waits. */
const OWN_LIMIT =
  /arguments that take longer than \d+ ms to read|output exceeds \d+ bytes|more than \d+ bytes of padding/

/** A format that prints an address without its 0x, which then looks like any number. */
const BARE_ADDRESS = /%[^a-zA-Z%"`]*#[^a-zA-Z%"`]*p/

/** As wide as Go pads, and as many rounds as it goes in the time that a case may take. */
const LIMITS = { maxWidth: 10_000_000, maxSteps: 1_000_000_000 }

/** Each slice is one of a guard that lets it go on. */
const GUARDED = { guard: (slice) => slice(), isDoubted: true }

// They stand for Go's functions: they get what Go's functions would.
for (const { call } of Object.values(functions)) engineFunction(call)
const subject = new Subject({ compile, TemplateError }, functions, LIMITS, flags.numbers)
const later = new Subject({ compile, TemplateError }, waitingFunctions(), LIMITS, flags.numbers)
const tally = { cases: 0, incomparable: 0, output: 0, error: 0, 'parse error': 0, panic: 0, endless: 0 }
const failures = []
const startedAt = Date.now()
const oracle = await startOracle()

try {
  for (let from = first; from < first + count; from += BATCH) {
    const numbers = Array.from({ length: Math.min(BATCH, first + count - from) }, (_, index) => from + index)
    const cases = numbers.map((number) => ({ ...randomCase(createRandom(caseSeed(seed, number))), number }))
    const expectations = await Promise.all(cases.map(expectation))
    for (const [index, testCase] of cases.entries()) await check(testCase, expectations[index])
  }
  await report()
} finally {
  oracle.close()
}

/** True if Go fails or prints a bad verb, which `urlquery` may have escaped. */
function hasComplaint({ kind, output }) {
  return kind !== 'output' || /%!|%25%21/.test(output)
}

async function expectation(testCase) {
  return toExpectation(await oracle.ask(toRequest(testCase)))
}

async function check(testCase, expected) {
  tally.cases++
  tally[expected?.kind ?? 'endless']++
  if (!isComparable(testCase, expected)) {
    tally.incomparable++
    return
  }
  const found = await differing(testCase, expected)
  if (found.some((line) => OWN_LIMIT.test(line))) tally.incomparable++
  else if (found.length > 0) failures.push({ testCase, found })
}

function isComparable({ template }, expected) {
  if (!expected || BARE_ADDRESS.test(template)) return false
  if (flags.numbers === 'adaptive' && hasComplaint(expected)) return false
  return !INCOMPARABLE.test(`${expected.error ?? ''}`) && !INCOMPARABLE.test(`${expected.output ?? ''}`)
}

/** Every way to run a case against the expectation. */
async function differing(testCase, expected) {
  if (flags.waiting) {
    const found = differences(expected, await later.run(testCase))
    return found.length > 0 ? found : differences(expected, await later.runJson(testCase))
  }
  const found = differences(expected, subject.runSync(testCase))
  if (found.length > 0) return found
  const folded = differences(expected, subject.runFolded(testCase))
  if (folded.length > 0) return folded.map((line) => `folded: ${line}`)
  for (const [way, seen] of Object.entries(subject.runSettled(testCase))) {
    const settled = differences(expected, seen)
    if (settled.length > 0) return settled.map((line) => `${way}: ${line}`)
  }
  const inJson = differences(expected, await subject.runJson(testCase))
  if (inJson.length > 0) return ['json', ...inJson]
  const awaited = differences(expected, await subject.run(testCase))
  if (awaited.length > 0) return ['render', ...awaited]
  const guarded = differences(expected, await subject.run(testCase, undefined, GUARDED))
  if (guarded.length > 0) return ['guarded', ...guarded]
  const inBytes = differences(expected, await subject.runBytes(testCase))
  return inBytes.length > 0 ? ['bytes', ...inBytes] : []
}

async function report() {
  const seconds = (Date.now() - startedAt) / 1000
  console.log(
    `seed ${seed}: ${tally.cases} cases in ${seconds.toFixed(1)} s (${JSON.stringify(tally)}): ${failures.length} differ`,
  )
  if (failures.length === 0) return
  process.exitCode = 1
  const shrunk = new Map()
  for (const { testCase } of failures.slice(0, Number(flags.most))) {
    const small = await shrink(testCase, async (candidate) => {
      const expected = await expectation(candidate)
      if (!isComparable(candidate, expected)) return false
      const found = await differing(candidate, expected)
      return found.length > 0 && !found.some((line) => OWN_LIMIT.test(line))
    })
    const key = `${small.template}${small.data}${JSON.stringify(small.options)}`
    if (!shrunk.has(key)) shrunk.set(key, { ...small, expected: await expectation(small) })
  }
  for (const small of shrunk.values()) {
    console.log(`\ncase ${small.number} ${JSON.stringify(small.options)} ${small.data}\n  ${small.template}`)
    for (const line of await differing(small, small.expected)) console.log(`  ${line}`)
  }
  const path = flags.report ?? join(tmpdir(), `template-fuzz-${seed}.cases`)
  const cases = [...shrunk.values()].map((small) => ({ ...small, name: 'found by fuzzing' }))
  writeFileSync(path, formatCases({ comment: `Seed ${seed}.`, cases }))
  console.log(`\n${shrunk.size} different shrunk cases in ${path}`)
}

/** The same functions, each answering in a later turn. */
function waitingFunctions() {
  return Object.fromEntries(
    Object.entries(functions).map(([name, declared]) => [
      name,
      {
        ...declared,
        call: engineFunction((...values) => Promise.resolve().then(() => declared.call(...values))),
      },
    ]),
  )
}
