import { describe, expect, it } from 'vitest'
import { SentBody } from '../../../src/llm/sent-body.js'
import { isJsonObject, type JsonObject } from '../../../src/util/json/json.js'

const OPTIONS = { include_usage: true }

/** What goes on of a body in whose request this has changed. */
function bytesOf(text: string, changes: JsonObject = {}): string | undefined {
  const value: unknown = JSON.parse(text)
  if (!isJsonObject(value)) throw new TypeError('no object')
  const request = { model: '', ...value, ...changes }
  return new SentBody(value, Buffer.from(text)).bytesOf(request)?.toString()
}

describe('the bytes that a client sent', () => {
  it.each([
    ['go on as they came', ' { "messages" : [], "model":"m", "n": 1.0 }\n', {}, undefined],
    ['keep digits that no double has', '{"model":"m","seed":12345678901234567890}', {}, undefined],
    ['keep escapes that spell no letter', '{"model":"m","user":"\\u003c\\ud83d\\ude00 é"}', {}, undefined],
    [
      'get another model',
      '{"a":[{"x":"\\"model\\": \\"no\\""}],"model" : "m","n":1}',
      { model: 'é"' },
      '{"a":[{"x":"\\"model\\": \\"no\\""}],"model" : "é\\"","n":1}',
    ],
    [
      'get options of a stream in front',
      ' {"model":"m","stream":true}',
      { stream_options: OPTIONS },
      ' {"stream_options":{"include_usage":true},"model":"m","stream":true}',
    ],
    [
      'get both',
      '{"stream":true,"model":"m"}',
      { model: 'other', stream_options: OPTIONS },
      '{"stream_options":{"include_usage":true},"stream":true,"model":"other"}',
    ],
  ])('%s', (_name, text, changes, expected) => {
    expect(bytesOf(text, changes)).toBe(expected ?? text)
  })

  it.each([
    ['a second model is there', '{"model":"a","model":"m"}', {}],
    ['a second model is there as an escape', '{"\\u006dodel":"a","model":"m"}', {}],
    ['the name is written as an escape', '{"mod\\u0065l":"m"}', {}],
    ['the name stands elsewhere too', '{"model":"m","tools":[{"model":1}]}', {}],
    ['the client named none', '{"messages":[]}', { model: 'default' }],
    ['the model has an escape and changes', '{"model":"a\\"b"}', { model: 'm' }],
    ['the model stands far from its name and changes', `{"model"${' '.repeat(20)}:"a"}`, { model: 'm' }],
    [
      'other options of the stream are there',
      '{"model":"m","stream_options":{"x":1}}',
      { stream_options: OPTIONS },
    ],
    ['their name stands elsewhere', '{"model":"m","a":{"stream_options":1}}', { stream_options: OPTIONS }],
    ['something else has changed', '{"model":"m","messages":[]}', { messages: [] }],
    ['something was added', '{"model":"m"}', { temperature: 1 }],
  ])('do not go on where %s', (_name, text, changes) => {
    expect(bytesOf(text, changes)).toBeUndefined()
  })

  it('do not go on where something was taken out', () => {
    const sent = new SentBody(
      { model: 'm', protocol: 'qwen' },
      Buffer.from('{"model":"m","protocol":"qwen"}'),
    )
    expect(sent.bytesOf({ model: 'm' })).toBeUndefined()
    expect(sent.bytesOf({ model: 'm', stream_options: OPTIONS })).toBeUndefined()
  })
})
