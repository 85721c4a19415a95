import { describe, expect, it } from 'vitest'
import { undocumented } from '../../support/documented-answers.js'

const headers = { 'content-type': 'application/json', 'x-request-id': 'r' }
const given = (changes: object) => ({
  ...{ method: 'POST', url: '/api/render/prompts/a.b', status: 200, headers },
  text: JSON.stringify({ status: 'success', kind: 'prompt', rendered_prompt: 'Hi' }),
  ...changes,
})
const event = (data: object) => `event: x\ndata: ${JSON.stringify(data)}\n\n`
const stream = {
  ...{ method: 'GET', url: '/api/sessions/s/turns/1/events' },
  headers: { 'content-type': 'text/event-stream; charset=utf-8' },
}

describe('what compares answers with openapi.yaml', () => {
  it.each([
    ['an answer as documented', {}, []],
    ['a status', { status: 202 }, ['status 202']],
    ['a header', { headers: { ...headers, 'x-new': '1' } }, ['header x-new']],
    ['a header of another route', { headers: { ...headers, location: '/x' } }, ['header location']],
    ['a media type', { headers: { ...headers, 'content-type': 'text/plain' } }, ['media type text/plain']],
    ['a missing field', { text: '{"status":"success","kind":"prompt"}' }, [/rendered_prompt/]],
    ['an error', { status: 404, text: '{"status":"error"}' }, [/error/, /request_id/]],
    ['an unknown event', { ...stream, text: event({ type: 'turn.slept' }) }, [/turn.slept/]],
    ['an event without its fields', { ...stream, text: event({ type: 'text.delta' }) }, [/text/]],
    ['events', { ...stream, text: event({ type: 'text.delta', text: 'a' }) + event({ type: 'gap' }) }, []],
  ])('notices %s', (_name, changes, expected) => {
    const found = undocumented(given(changes))
    if (expected.length === 0) expect(found).toEqual([])
    for (const each of expected)
      expect(found).toContainEqual(typeof each === 'string' ? each : expect.stringMatching(each))
  })
})
