import { describe, expect, it } from 'vitest'
import { TextSlicer } from '../../../../src/util/slices/text-slicer.js'

describe('a slicer by characters', () => {
  it('says nothing for a little text, however long it takes', () => {
    const slicer = new TextSlicer()
    beBusy()
    for (let count = 0; count < 10; count += 1) expect(slicer.turn(400)).toBeUndefined()
  })

  it('lets others in after much text that took a while, and counts anew', async () => {
    const slicer = new TextSlicer()
    beBusy()
    const turn = slicer.turn(5_000)
    expect(turn).toBeInstanceOf(Promise)
    await turn
    beBusy()
    expect(slicer.turn(1)).toBeUndefined()
    expect(slicer.turn(5_000)).toBeInstanceOf(Promise)
  })
})

function beBusy(): void {
  const startedAt = performance.now()
  while (performance.now() - startedAt < 5);
}
