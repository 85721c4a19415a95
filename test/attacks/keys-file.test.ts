import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AttackedByKeys, mistakeOfKeys, startAttackedByKeys } from './support/keys-attack.js'
import { leastBusy } from './support/least-busy.js'
import { LOOP_BOUND_MS } from './support/loop-bound.js'
import { KEYS_FILES } from './tables/keys-files.js'

describe('a file of keys that is none', () => {
  let attacked: AttackedByKeys
  beforeAll(async () => {
    attacked = await startAttackedByKeys()
  })
  afterAll(async () => {
    expect(await attacked.stop()).toBe(0)
  })

  it.each(KEYS_FILES)('$name', async (row) => {
    const busy = await leastBusy(async () => {
      await attacked.mend()
      const written = await attacked.write(row)
      expect(mistakeOfKeys(row, written.problem)).toBeUndefined()
      return written
    })
    expect(busy).toBeLessThan(LOOP_BOUND_MS)
  })
})
