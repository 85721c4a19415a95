import { expect, it } from 'vitest'
import { readServerEvents } from '../../../src/client/server-events.js'

/** The events of a text that comes in pieces of this many bytes. */
async function eventsOf(text: string, size: number): Promise<unknown[]> {
  const bytes = new TextEncoder().encode(text)
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size))
      controller.close()
    },
  })
  const events: unknown[] = []
  for await (const each of readServerEvents(body)) events.push(each)
  return events
}

const event = (data: string, rest: object = {}) => ({ data, id: '', event: 'message', ...rest })

it.each([
  ['data alone', 'data: a\n\n', [event('a')]],
  [
    'all fields, in any order',
    'event: change\ndata: {}\nid: 7-0\n\n',
    [event('{}', { event: 'change', id: '7-0' })],
  ],
  ['data of several lines', 'data: a\ndata:\ndata: b\n\n', [event('a\n\nb')]],
  ['no space after the colon', 'data:a\n\n', [event('a')]],
  ['comments, which are none', ': ping\n\ndata: a\n\n: ping\n\n', [event('a')]],
  ['fields that are not ours', 'retry: 10\ndatabase: x\ndata: a\n\n', [event('a')]],
  ['line ends of two characters', 'id: 1\r\ndata: a\r\n\r\n', [event('a', { id: '1' })]],
  ['separators that are text', 'data: a\u2028data: b\u2029id: 9\n\n', [event('a\u2028data: b\u2029id: 9')]],
  ['an event that was cut off', 'data: a\n\ndata: b\n', [event('a')]],
])('reads %s', async (_name, text, expected) => {
  for (const size of [1, 7, 1_000]) expect(await eventsOf(text, size)).toEqual(expected)
})
