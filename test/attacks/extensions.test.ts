import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AttackedByExtension, startAttackedByExtension } from './support/extension-attack.js'
import { leastBusy } from './support/least-busy.js'
import { LOOP_BOUND_MS } from './support/loop-bound.js'
import { EXTENSIONS } from './tables/extensions.js'

describe('an extension of', () => {
  let attacked: AttackedByExtension
  beforeAll(async () => {
    attacked = await startAttackedByExtension()
  })
  afterAll(async () => {
    expect(await attacked.stop()).toBe(0)
  })

  it.each(EXTENSIONS)('$name', async (row) => {
    const busy = await leastBusy(async () => {
      await attacked.remove()
      return attacked.write(row)
    })
    expect(busy).toBeLessThan(LOOP_BOUND_MS)
  })
})
