import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { HttpRow } from '../tables/http-row.js'
import { type AttackedService, startAttackedService } from './attack.js'
import { DOCUMENTS, ENVIRONMENT, mistakeOf, sendRow } from './http-attack.js'
import { LOOP_BOUND_MS } from './loop-bound.js'

/** A machine that is busy with other things slows the service down too: the best of so many attempts counts. */
const ATTEMPTS = 3

/** Tests that every row that is not slow gets its answer, and holds nobody up. */
export function describeRows(name: string, rows: readonly HttpRow[]): void {
  describe(name, () => {
    let service: AttackedService
    beforeAll(async () => {
      service = await startAttackedService(DOCUMENTS, ENVIRONMENT)
    })
    afterAll(async () => {
      expect(await service.stop()).toBe(0)
    })

    it.each(rows.filter(({ isSlow }) => isSlow !== true))('$name', async (row) => {
      let best = Number.POSITIVE_INFINITY
      for (let attempt = 0; attempt < ATTEMPTS && best >= LOOP_BOUND_MS; attempt += 1) {
        const answer = await sendRow(service, row)
        expect(mistakeOf(row, answer)).toBeUndefined()
        best = Math.min(best, answer.longestBusyMs)
      }
      expect(best).toBeLessThan(LOOP_BOUND_MS)
    })
  })
}
