import type { Entrance, OpenEntrance } from '../support/entrance.js'
import { type Measured, measureIdle, measureRow } from './measure-row.js'
import type { Section } from './section.js'
import { settle } from './settle.js'

const HEAD =
  '| attack | came back | loop p99, ms | third worst, ms | worst, ms | RSS, MB | memory after / before |\n|---|---|---|---|---|---|---|'

/** Every row of an entrance, and the idle service beside them. */
export function entranceSection(entrance: Entrance): Section {
  return {
    name: entrance.name,
    async run(repetitions) {
      const opened = await entrance.open()
      const measured = await measureAll(opened, repetitions)
      const code = await opened.close()
      const failures = measured.filter(isWrong).length + (code === 0 ? 0 : 1)
      const end = `The service ended with ${code}; ${failures} of ${measured.length - 1} rows over a bound or wrong.`
      return { text: `${HEAD}\n${measured.map(toLine).join('\n')}\n\n${end}`, failures }
    },
  }
}

async function measureAll(
  { service, rows }: OpenEntrance,
  repetitions: number,
): Promise<readonly Measured[]> {
  await settle(service)
  const measured = [await measureIdle(service, repetitions)]
  for (const row of rows) measured.push(await measureRow(service, row, repetitions))
  return measured
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
