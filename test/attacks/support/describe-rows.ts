import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { HttpRow } from '../tables/http-row.js'
import { type AttackedService, startAttackedService } from './attack.js'
import { DOCUMENTS, ENVIRONMENT, mistakeOf, sendRow } from './http-attack.js'
import { leastBusy } from './least-busy.js'
import { LOOP_BOUND_MS } from './loop-bound.js'

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
      const busy = await leastBusy(async () => {
        const answer = await sendRow(service, row)
        expect(mistakeOf(row, answer)).toBeUndefined()
        return answer
      })
      expect(busy).toBeLessThan(LOOP_BOUND_MS)
    })
  })
}
