import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { PUBLISHED_SCHEMAS, publishedText } from '../../../src/schema/published.js'

const directory = join(import.meta.dirname, '../../../schemas')

describe('published schemas', () => {
  it('are the files in schemas/ (npm run schemas writes them)', () => {
    expect(readdirSync(directory).sort()).toEqual(Object.keys(PUBLISHED_SCHEMAS).sort())
    for (const [name, schema] of Object.entries(PUBLISHED_SCHEMAS)) {
      expect(readFileSync(join(directory, name), 'utf8'), name).toBe(publishedText(schema))
    }
  })

  it.each(Object.entries(PUBLISHED_SCHEMAS))('%s is a draft-07 schema', (_, schema) => {
    const ajv = new Ajv({ strict: false })
    expect(ajv.validateSchema(schema)).toBe(true)
    expect(() => ajv.compile(schema)).not.toThrow()
  })

  it.each([
    { schema: 'prompt.json', document: { userPrompt: 'hi' }, fits: true },
    { schema: 'prompt.json', document: { prompt: 'hi', parameters: [{ name: 'a' }] }, fits: true },
    { schema: 'prompt.json', document: { userPrompt: 'hi', prompt: 'hi' }, fits: false },
    { schema: 'prompt.json', document: {}, fits: false },
    { schema: 'tool.json', document: { type: 'restful', url: '/x' }, fits: true },
    { schema: 'tool.json', document: { type: 'soap', url: '/x' }, fits: false },
    {
      schema: 'extension.json',
      document: { name: 'a', contributes: { prompts: [{ name: 'p', prompt: '' }] } },
      fits: true,
    },
    {
      schema: 'extension.json',
      document: { name: 'a', contributes: { prompts: [{ prompt: '' }] } },
      fits: false,
    },
    { schema: 'extension.json', document: {}, fits: false },
  ])('$schema: $document fits: $fits', ({ schema, document, fits }) => {
    const validate = new Ajv({ strict: false }).compile(PUBLISHED_SCHEMAS[schema] as object)
    expect(validate(document)).toBe(fits)
  })
})
