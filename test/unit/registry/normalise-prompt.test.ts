import { describe, expect, it } from 'vitest'
import { DocumentError } from '../../../src/registry/fault.js'
import { normalisePrompt } from '../../../src/registry/normalise-prompt.js'
import type { JsonObject, JsonValue } from '../../../src/util/json/json.js'

const read = (document: JsonValue) => normalisePrompt(document, 'fallback')
const rest = (more: JsonObject = {}) => ({ userPrompt: 'Hi', ...more })

describe('normalisePrompt', () => {
  it.each<[string, JsonObject, object]>([
    [
      'what is left out',
      rest(),
      { name: 'fallback', description: '', engine: 'go', supports: [], tools: [], options: {} },
    ],
    ['its own name', rest({ name: 'n' }), { name: 'n' }],
    ['an empty name', rest({ name: '' }), { name: 'fallback' }],
    ['an empty model', rest({ model: '' }), { model: undefined }],
    ['null for none', rest({ options: null, returns: null }), { options: {}, returns: undefined }],
    ['a text', rest(), { body: { kind: 'prompt', text: 'Hi', field: 'userPrompt' } }],
    ['its alias', { prompt: 'Hi' }, { body: { kind: 'prompt', text: 'Hi', field: 'prompt' } }],
    ['an empty text', { prompt: '' }, { body: { kind: 'prompt', text: '' } }],
    ['an empty body beside', rest({ messages: [] }), { body: { kind: 'prompt', text: 'Hi' } }],
    [
      'messages',
      { messages: [{ role: 'user', content: 'Hi', name: '' }] },
      { body: { kind: 'messages', messages: [{ role: 'user', content: 'Hi' }] } },
    ],
    ['handlebars', rest({ engine: 'handlebars' }), { engine: 'handlebars' }],
    [
      'a list of parameters',
      rest({ parameters: [{ name: 'q', type: 'text' }] }),
      { parameters: { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] } },
    ],
  ])('reads %s', (_name, document, expected) => {
    expect(read(document)).toMatchObject(expected)
  })

  it.each<[string, JsonValue, RegExp]>([
    ['no object', ['x'], /must be an object/],
    ['no body', { name: 'n' }, /needs messages or userPrompt/],
    ['two bodies', { prompt: 'a', userPrompt: 'b' }, /exactly one of/],
    ['an unknown engine', rest({ engine: 'jinja' }), /engine/],
  ])('refuses %s', (_name, document, message) => {
    expect(() => read(document)).toThrow(DocumentError)
    expect(() => read(document)).toThrow(message)
  })
})
