import { describe, expect, it } from 'vitest'
import { StreamWatch } from '../../../../src/llm/chat/stream-watch.js'
import { chunk, event } from '../../../../src/testing.js'

const known = [event(chunk('one')), event(chunk('two')), event(chunk('é "three"\n'))]

function watched(...events: readonly string[]): StreamWatch {
  const watch = new StreamWatch('chat/completions')
  for (const each of events) watch.see(Buffer.from(each))
  return watch
}

describe('a stream that is watched', () => {
  it.each([
    ['words that end too early', event(chunk('x')).replace('"x"', '"x""')],
    ['words with a line end', event(chunk('x')).replace('"x"', '"\u0001"')],
    ['words with half an escape', event(chunk('x')).replace('"x"', '"\\"')],
    ['no words', event(chunk('x')).replace('"x"', '')],
    ['an end that is missing', event(chunk('x')).replace('}]}', '}]')],
    ['no JSON', event('one')],
    ['an end that comes later', event(chunk('x')).replace('\n\n', '\nx: \n\n').replace('"x"', 'x')],
  ])('is broken by %s, however often the like was seen', (_name, broken) => {
    expect(() => watched(...known, broken)).toThrow('an event that is not JSON')
    expect(() => watched(known.join('') + broken)).toThrow('an event that is not JSON')
  })

  it('is over where one event says so, and not before', () => {
    expect(watched(...known, ...known).isFinished()).toBe(false)
    const last = event(chunk('three', 'stop'))
    expect(watched(...known, last).isFinished()).toBe(true)
    expect(watched(last, ...known).isFinished()).toBe(true)
  })

  it('tells the usage of an event whose words are as those of others', () => {
    const usage = { prompt_tokens: 2, completion_tokens: 3 }
    const counted = (tokens: object) => event(JSON.stringify({ ...JSON.parse(chunk('x')), usage: tokens }))
    const watch = watched(...known, counted(usage), counted({ ...usage, completion_tokens: 4 }))
    expect(watch.usage()).toMatchObject({ inputTokens: 2, outputTokens: 4 })
  })

  it('fails by an error that begins where an answer would end', () => {
    const failed = `${event(chunk('x')).slice(0, -1)}event: error\ndata: {"message":"too busy"}\n\n`
    const named = `event: error\ndata: {"message":"too busy"}\n\n`
    expect(() => watched(known.join('') + named)).toThrow('too busy')
    expect(() => watched(known.join('') + event(chunk('x')) + named)).toThrow('too busy')
    expect(() => watched(...known, failed)).toThrow('an event that is not JSON')
  })

  it('fails by an error that looks like an answer', () => {
    const failed = (message: string) =>
      event(JSON.stringify({ ...JSON.parse(chunk('x')), error: { message } }))
    expect(() => watched(...known, failed('too busy'))).toThrow('too busy')
  })
})
