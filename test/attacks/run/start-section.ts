import { setTimeout as sleep } from 'node:timers/promises'
import { startAttackedService } from '../support/attack.js'
import { DOCUMENTS } from '../support/http-attack.js'
import type { Section } from './section.js'

/** What a service reads once it is ready, it has read by then. */
const LOOKED_AT_MS = 2_500
const BOUND_MS = 20
/** Of all starts: what the machine itself does in between counts as the worst. */
const LEFT_OUT = 2

/** Whom a service holds up that has just become ready: it reads what the start left out. */
export const START_SECTION: Section = {
  name: 'start',
  async run(repetitions) {
    const longest: number[] = []
    let failures = 0
    for (let count = 0; count < repetitions; count += 1) {
      const service = await startAttackedService(DOCUMENTS, {})
      await service.takeTurns()
      await sleep(LOOKED_AT_MS)
      longest.push(Math.max(0, ...(await service.takeTurns())))
      if ((await service.stop()) !== 0) failures += 1
    }
    longest.sort((a, b) => b - a)
    const third = longest[Math.min(LEFT_OUT, longest.length - 1)] ?? 0
    const isOver = third > BOUND_MS
    const figures = [longest[Math.floor(longest.length / 2)] ?? 0, third, longest[0] ?? 0].map((ms) =>
      ms.toFixed(1),
    )
    return {
      text: `| the longest turn after \`ready\`, of ${repetitions} starts | median, ms of processor time | third worst, ms | worst, ms | |\n|---|---|---|---|---|\n| what was left for later is read | ${figures.join(' | ')} | ${isOver ? '**over**' : ''} |`,
      failures: failures + (isOver ? 1 : 0),
    }
  },
}
