import { setFlagsFromString } from 'node:v8'
import { expect, test } from 'vitest'
import { type LocalContext, localTool } from '../../../src/tools/local-tool.js'
import { Cancellation } from '../../../src/util/cancellation.js'

/** What a function gets that is called twice. */
async function contextsOfTwoCalls(
  signal = new Cancellation(),
): Promise<readonly [LocalContext, LocalContext]> {
  const contexts: LocalContext[] = []
  const tool = localTool({
    name: 'look',
    execute: (_, context) => {
      contexts.push(context)
      return null
    },
  })
  for (const callId of ['one', 'other']) await tool.call({}, { requestId: 'r', callId, signal })
  const [one, other] = contexts
  if (one === undefined || other === undefined) throw new Error('the function was not called twice')
  return [one, other]
}

test('a function gets a native signal, a copy of its context too', async () => {
  const cancellation = new Cancellation()
  const [context] = await contextsOfTwoCalls(cancellation)
  const copy = { ...context }
  expect(copy).toMatchObject({ requestId: 'r', callId: 'one' })
  expect(copy.signal).toBeInstanceOf(AbortSignal)
  cancellation.abort('over')
  expect([context.signal.aborted, copy.signal.reason]).toEqual([true, 'over'])
})

test('contexts share one shape: one of its own for each call would stay until the old space is collected', async () => {
  setFlagsFromString('--allow-natives-syntax')
  const haveOneShape = new Function('one', 'other', 'return %HaveSameMap(one, other)')
  const [one, other] = await contextsOfTwoCalls()
  expect(haveOneShape(one, other)).toBe(true)
})
