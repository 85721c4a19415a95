import { describe, expect, it } from 'vitest'
import { SLICES } from '../../../../src/util/slices/budgets.js'
import { createSlicer, pause, room } from '../../../../src/util/slices/pause.js'
import { mostInOneTurn } from '../../../support/most-in-one-turn.js'

const FEW = SLICES.shared.ms + 2

/** The most pieces of a millisecond that many do in one turn of the event loop. */
function mostOfMany(work: (hold: () => void) => Promise<void>): Promise<number> {
  return mostInOneTurn((hold) => Promise.all(Array.from({ length: 30 }, () => work(hold))))
}

describe('many pieces of work share a turn of the event loop', () => {
  it('where all of them have paused', async () => {
    const most = await mostOfMany(async (hold) => {
      await pause()
      hold()
    })
    expect(most).toBeLessThanOrEqual(FEW)
  })

  it('where each of them is done in slices', async () => {
    const most = await mostOfMany(async (hold) => {
      await pause()
      const slicer = createSlicer(2)
      for (let step = 0; step < 4; step += 1) {
        hold()
        await slicer.turn()
      }
    })
    expect(most).toBeLessThanOrEqual(FEW)
  })

  it('where one goes on for a whole slice after another that was short', async () => {
    let made = 0
    const most = await mostOfMany(async (hold) => {
      const steps = made++ % 2 === 0 ? 3 : 12
      const slicer = createSlicer()
      while (slicer.isOver?.() === false);
      await slicer.turn()
      for (let step = 0; step < steps; step += 1) {
        hold()
        await slicer.turn()
      }
    })
    expect(most).toBeLessThanOrEqual(FEW)
  })

  it('where what all of them wait for has arrived', async () => {
    const arrived = pause()
    const most = await mostOfMany(async (hold) => {
      await arrived
      const turn = room()
      if (turn !== undefined) await turn
      hold()
    })
    expect(most).toBeLessThanOrEqual(FEW)
  })
})
