import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { writeSection } from '../../support/write-section.js'
import { type AttackedService, startAttackedService } from '../support/attack.js'
import type { EntranceRow } from '../support/entrance.js'
import { ENTRANCES } from '../support/entrances.js'
import { besideHostileRenders } from '../support/fairness.js'
import { DOCUMENTS, ENVIRONMENT } from '../support/http-attack.js'
import { mistakeOfEnd } from '../support/signal-attack.js'
import { SIGNALS } from '../tables/signals.js'
import { type Measured, measureIdle, measureRow } from './measure-row.js'
import { settle } from './settle.js'

const RESULTS = 'test/bench/results.md'
const HEAD =
  '| attack | came back | loop p99, ms | third worst, ms | worst, ms | RSS, MB | memory after / before |\n|---|---|---|---|---|---|---|'

/** Every row of every table against the built service; 1 when one of them is over its bounds or got a wrong answer. */
export async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      repetitions: { type: 'string', default: '20' },
      only: { type: 'string' },
      dry: { type: 'boolean', default: false },
    },
  })
  const repetitions = Number(values.repetitions)
  const wanted = (name: string) => values.only === undefined || values.only.split(',').includes(name)
  const parts: string[] = []
  const add = (part: string) => {
    parts.push(part)
    console.log(`${part}\n`)
  }
  let failures = 0
  for (const entrance of ENTRANCES.filter(({ name }) => wanted(name))) {
    const opened = await entrance.open()
    const measured = await measureAll(opened.service, opened.rows, repetitions)
    const code = await opened.close()
    const wrong = measured.filter(isWrong).length + (code === 0 ? 0 : 1)
    failures += wrong
    const end = `The service ended with ${code}; ${wrong} of ${measured.length - 1} rows over a bound or wrong.`
    add(`### Attacks: ${entrance.name}\n\n${HEAD}\n${measured.map(toLine).join('\n')}\n\n${end}`)
  }
  if (wanted('signals')) add(await signals(repetitions))
  if (wanted('fairness')) add(await fairness())
  const machine = `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${repetitions} repetitions`
  const about = `\`npm run attack\`: ${machine}. The loop's figures are processor time of one turn; bold is over its bound (p99 20 ms, third worst 50 ms, memory after a forced collection 1.3 × and 8 MB more than before).`
  if (!values.dry) writeSection(RESULTS, 'Attacks', [about, ...parts].join('\n\n'))
  return failures === 0 ? 0 : 1
}

async function measureAll(
  service: AttackedService,
  rows: readonly EntranceRow[],
  repetitions: number,
): Promise<readonly Measured[]> {
  await settle(service)
  const measured = [await measureIdle(service, repetitions)]
  for (const row of rows) measured.push(await measureRow(service, row, repetitions))
  return measured
}

async function signals(repetitions: number): Promise<string> {
  const lines: string[] = []
  for (const row of SIGNALS) {
    const mistakes: string[] = []
    for (let count = 0; count < repetitions; count += 1) mistakes.push((await mistakeOfEnd(row)) ?? '')
    const wrong = mistakes.filter((mistake) => mistake !== '')
    lines.push(
      `| ${row.name} | ${repetitions - wrong.length} of ${repetitions} ended with 0 | ${wrong[0] ?? ''} |`,
    )
  }
  return `### Attacks: signals\n\n| signal | ends | mistake |\n|---|---|---|\n${lines.join('\n')}`
}

async function fairness(): Promise<string> {
  const service = await startAttackedService(DOCUMENTS, ENVIRONMENT)
  const { failures, times } = await besideHostileRenders(service.url, { hostile: 50, healthy: 1_000 })
  await service.stop()
  const [p50, p99] = [0.5, 0.99].map((part) => times[Math.floor(times.length * part)]?.toFixed(1))
  return `### Fairness\n\n1,000 healthy renders beside 50 hostile ones sent at once: p50 ${p50} ms, p99 ${p99} ms, ${failures.length} failed.`
}

function isWrong({ mistake, over }: Measured): boolean {
  return mistake !== undefined || over.length > 0
}

function toLine({ name, cameBack, p99, third, worst, rss, ratio, mistake, over }: Measured): string {
  const shown = (part: 'p99' | 'third' | 'memory', text: string) =>
    over.includes(part) ? `**${text}**` : text
  const said = mistake === undefined ? cameBack : `**${mistake.replaceAll(/[|\n]/g, ' ').slice(0, 160)}**`
  const cells = [
    name.replaceAll('|', '\\|'),
    said,
    shown('p99', p99.toFixed(1)),
    shown('third', third.toFixed(1)),
    worst.toFixed(1),
    (rss / 1e6).toFixed(0),
    shown('memory', ratio.toFixed(2)),
  ]
  return `| ${cells.join(' | ')} |`
}
