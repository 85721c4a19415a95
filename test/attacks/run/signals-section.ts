import { mistakeOfEnd } from '../support/signal-attack.js'
import { SIGNALS, type SignalRow } from '../tables/signals.js'
import type { Section } from './section.js'

/** Every signal, to services of their own. */
export const SIGNALS_SECTION: Section = {
  name: 'signals',
  async run(repetitions) {
    const lines: string[] = []
    let failures = 0
    for (const row of SIGNALS) {
      const wrong = await mistakesOf(row, repetitions)
      if (wrong.length > 0) failures += 1
      const well = repetitions - wrong.length
      lines.push(`| ${row.name} | ${well} of ${repetitions} ended with 0 | ${wrong[0] ?? ''} |`)
    }
    return { text: `| signal | ends | mistake |\n|---|---|---|\n${lines.join('\n')}`, failures }
  },
}

async function mistakesOf(row: SignalRow, repetitions: number): Promise<readonly string[]> {
  const mistakes: string[] = []
  for (let count = 0; count < repetitions; count += 1) {
    const mistake = await mistakeOfEnd(row)
    if (mistake !== undefined) mistakes.push(mistake)
  }
  return mistakes
}
