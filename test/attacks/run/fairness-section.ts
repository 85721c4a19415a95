import { startAttackedService } from '../support/attack.js'
import { besideHostileRenders, FAIRNESS_BOUNDS, type Hostility, percentileOf } from '../support/fairness.js'
import { DOCUMENTS, ENVIRONMENT } from '../support/http-attack.js'
import { HOSTILE_TEXTS } from '../tables/hostile-texts.js'
import type { Section } from './section.js'
import { settle } from './settle.js'

const HEAD =
  '| 1,000 healthy renders beside | p50, ms | p99, ms | longest, ms | failed | |\n|---|---|---|---|---|---|'

/** Those of small bodies have bounds; the others are told. */
const ROWS: readonly (Hostility & { readonly name: string; readonly isBounded: boolean })[] = [
  { name: 'nothing', hostile: 0, isBounded: true },
  { name: '50 hostile ones, sent at once', hostile: 50, isBounded: true },
  { name: '50 hostile ones, each sent again when it is over', hostile: 50, isKept: true, isBounded: true },
  {
    name: '50 hostile ones with 3.9 MB of variables each, sent at once',
    hostile: 50,
    bodies: HOSTILE_TEXTS,
    isBounded: false,
  },
]

/** How others fare meanwhile. */
export const FAIRNESS_SECTION: Section = {
  name: 'fairness',
  async run(_repetitions, wanted = '') {
    const service = await startAttackedService(DOCUMENTS, ENVIRONMENT)
    await settle(service)
    const lines: string[] = []
    let failures = 0
    for (const row of ROWS.filter(({ name }) => name.includes(wanted))) {
      const { failures: failed, times } = await besideHostileRenders(service.url, { healthy: 1_000, ...row })
      const [p50, p99] = [percentileOf(times, 0.5), percentileOf(times, 0.99)]
      const isOver = p50 > FAIRNESS_BOUNDS.p50 || p99 > FAIRNESS_BOUNDS.p99 || failed.length > 0
      if (isOver && row.isBounded) failures += 1
      const verdict = row.isBounded ? (isOver ? '**over**' : '') : 'no bound'
      const figures = [p50, p99, times.at(-1) ?? 0].map((ms) => ms.toFixed(1))
      lines.push(`| ${row.name} | ${figures.join(' | ')} | ${saidOf(failed)} | ${verdict} |`)
    }
    const code = await service.stop()
    return {
      text: `${HEAD}\n${lines.join('\n')}\n\nThe service ended with ${code}.`,
      failures: failures + (code ?? 1),
    }
  },
}

/** How many failed, and how the first one did. */
function saidOf(failures: readonly string[]): string {
  return failures.length === 0 ? '0' : `${failures.length} (${failures[0]})`
}
