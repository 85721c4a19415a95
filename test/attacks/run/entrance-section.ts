import type { Entrance, OpenEntrance } from '../support/entrance.js'
import { type Measured, measureIdle, measureRow } from './measure-row.js'
import { measuredLine, ROWS_HEAD } from './measured-line.js'
import type { Section } from './section.js'
import { settle } from './settle.js'

/** Every row of an entrance, and the idle service beside them. */
export function entranceSection(entrance: Entrance): Section {
  return {
    name: entrance.name,
    async run(repetitions, row = '') {
      const opened = await entrance.open()
      const measured = await measureAll(opened, repetitions, row)
      const code = await opened.close()
      const failures = measured.filter(isWrong).length + (code === 0 ? 0 : 1)
      const end = `The service ended with ${code}; ${failures} of ${measured.length - 1} rows over a bound or wrong.`
      return { text: `${ROWS_HEAD}\n${measured.map(measuredLine).join('\n')}\n\n${end}`, failures }
    },
  }
}

async function measureAll(
  { service, rows }: OpenEntrance,
  repetitions: number,
  wanted: string,
): Promise<readonly Measured[]> {
  await settle(service)
  const measured = [await measureIdle(service, repetitions)]
  for (const row of rows)
    if (row.name.includes(wanted)) measured.push(await measureRow(service, row, repetitions))
  return measured
}

function isWrong({ mistake, over }: Measured): boolean {
  return mistake !== undefined || over.length > 0
}
