import type { Dispatcher } from 'undici'
import { describe, expect, it } from 'vitest'
import { createRestfulWire } from '../../../src/tools/restful-wire.js'
import { SLICES } from '../../../src/util/slices/budgets.js'
import { mostInOneTurn } from '../../support/most-in-one-turn.js'
import { callOptions, loopbackSettings, toolEntry } from '../../support/tool-entry.js'

const CALLS = 15
const CHARACTERS = 80_000
/** Pieces of a millisecond. */
const FEW = SLICES.shared.ms + 2

describe('large answers of a REST tool that come in one turn of the event loop', () => {
  it('are read between other work', async () => {
    const large = Buffer.from('汉'.repeat(CHARACTERS))
    const headers = { 'content-type': 'text/plain' }
    const dispatch: Dispatcher['dispatch'] = (_options, handler) => {
      const controller = { abort() {} } as unknown as Dispatcher.DispatchController
      setImmediate(() => {
        handler.onRequestStart?.(controller, {})
        handler.onResponseStart?.(controller, 200, headers, '')
        handler.onResponseData?.(controller, large)
        handler.onResponseEnd?.(controller, {})
      })
      return true
    }
    const wire = createRestfulWire({
      dispatcher: () => ({ dispatch }) as unknown as Dispatcher,
      policy: { assertAllowed() {}, addressRule: () => undefined },
      settings: loopbackSettings(),
    })
    const call = wire.prepare({
      tool: toolEntry('t.large', {
        connection: { type: 'restful', url: 'http://127.0.0.1:9/', method: 'POST' },
      }).definition,
      arguments: {},
      context: {},
      caller: callOptions(),
    })
    const options = { signal: new AbortController().signal, deadline: Date.now() + 60_000 }
    const most = await mostInOneTurn(async (hold) => {
      // As if each piece of an answer took a millisecond.
      large.subarray = (...range) => {
        hold()
        return Buffer.prototype.subarray.apply(large, range)
      }
      const replies = await Promise.all(Array.from({ length: CALLS }, () => call.send(options)))
      for (const { value } of replies) expect(value).toHaveLength(CHARACTERS)
    })
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThanOrEqual(FEW)
  })
})
