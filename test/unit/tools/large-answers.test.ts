import type { Dispatcher } from 'undici'
import { describe, expect, it } from 'vitest'
import { createRestfulWire } from '../../../src/tools/restful-wire.js'
import { longestTurn } from '../../support/loop-gaps.js'
import { callOptions, loopbackSettings, toolEntry } from '../../support/tool-entry.js'

const CALLS = 30
/** Twice what all others with a result may hold a turn of the event loop for, on a slow machine. */
const LONG_MS = 40

describe('large answers of a REST tool that come in one turn of the event loop', () => {
  const large = Buffer.from('汉'.repeat(349_000))

  it('are read between other work', async () => {
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
    const readAll = async () => {
      const replies = await Promise.all(Array.from({ length: CALLS }, () => call.send(options)))
      for (const { value } of replies) expect(value).toHaveLength(349_000)
    }
    await readAll()
    const turns = [await longestTurn(readAll), await longestTurn(readAll), await longestTurn(readAll)]
    expect(Math.min(...turns)).toBeLessThan(LONG_MS)
  })
})
