import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { errorMessage } from '../../../src/util/errors/error-message.js'
import { leastPace } from '../../support/costs/longest-piece.js'
import { FRESH_MEMORY } from '../../support/fresh-memory.js'
import { writeSection } from '../../support/write-section.js'
import { ENTRANCES, NETS } from '../support/entrances.js'
import { DRIPS_SECTION } from './drips-section.js'
import { ENDS_SECTION } from './ends-section.js'
import { entranceSection } from './entrance-section.js'
import { FAIRNESS_SECTION } from './fairness-section.js'
import { LOADS_SECTION } from './loads-section.js'
import type { Section, SectionResult } from './section.js'
import { SIGNALS_SECTION } from './signals-section.js'
import { FIRST_USE_SECTION, START_SECTION } from './start-section.js'

const RESULTS = 'test/bench/results.md'
const SECTIONS: readonly Section[] = [
  ...[...ENTRANCES, ...NETS].map(entranceSection),
  START_SECTION,
  FIRST_USE_SECTION,
  LOADS_SECTION,
  SIGNALS_SECTION,
  ENDS_SECTION,
  FAIRNESS_SECTION,
  DRIPS_SECTION,
]

/** Every row of every table against the built service; 1 when one of them is over its bounds or got a wrong answer. */
export async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      repetitions: { type: 'string', default: '20' },
      only: { type: 'string' },
      row: { type: 'string' },
      dry: { type: 'boolean', default: false },
    },
  })
  const repetitions = Number(values.repetitions)
  const { blockMs, excessUs } = FRESH_MEMORY
  const startedAt = performance.now()
  const parts: string[] = []
  const paces: number[] = []
  let failures = 0
  for (const section of chosen(values.only)) {
    const begunAt = performance.now()
    paces.push(leastPace())
    const result = await finished(section, repetitions, values.row)
    failures += result.failures
    parts.push(`### Attacks: ${section.name}\n\n${result.text}\n\n${minutesSince(begunAt)} minutes.`)
    console.log(`${parts.at(-1)}\n`)
  }
  const machine = `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${repetitions} repetitions, ${minutesSince(startedAt)} minutes, ${blockMs.toFixed(1)} ms for 4 MiB of memory not used before; usual work took ${median(paces).toFixed(1)} times as long as on a quiet machine`
  const without =
    excessUs === 0
      ? ''
      : ` What this machine takes more than usual ones for each page of new memory, ${excessUs.toFixed(1)} µs, is taken off, but for the column that says so.`
  const about = `\`npm run attack\`: ${machine}; ${failures} rows over a bound or wrong. The loop's figures are processor time of one turn.${without} The first attack of each row, which runs code that was not compiled yet, counts as the worst only; bold is over its bound (p99 20 ms, third worst 50 ms, memory after a forced collection 1.3 × and 8 MB more than before). A row that is over is attacked as often again, and its line says what it was at first: it counts as over when it is so twice.`
  console.log(about)
  // A part of the run does not take the place of another one.
  const heading = values.only === undefined ? 'Attacks' : `Attacks: ${values.only}`
  if (!values.dry) writeSection(RESULTS, heading, [about, ...parts].join('\n\n'))
  return failures === 0 ? 0 : 1
}

/** All sections, or those of these names: nothing is attacked by a name that is invalid, and nothing would be wrong. */
function chosen(only: string | undefined): readonly Section[] {
  if (only === undefined) return SECTIONS
  return only.split(',').map((wanted) => {
    const section = SECTIONS.find(({ name }) => name === wanted)
    if (section === undefined)
      throw new Error(
        `no section is called ${wanted}; there are ${SECTIONS.map(({ name }) => name).join(', ')}`,
      )
    return section
  })
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 1
}

function minutesSince(begunAt: number): string {
  return ((performance.now() - begunAt) / 60_000).toFixed(1)
}

/** A service that ends or freezes breaks its own section off, not the run. */
async function finished(section: Section, repetitions: number, row?: string): Promise<SectionResult> {
  try {
    return await section.run(repetitions, row)
  } catch (error) {
    return { text: `**Broke off: ${errorMessage(error)}**`, failures: 1 }
  }
}
