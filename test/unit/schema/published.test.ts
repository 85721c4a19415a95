import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { PUBLISHED_SCHEMAS, publishedText } from '../../../scripts/write-schemas.js'
import { surveySchema } from '../../../src/schema/check/survey-schema.js'
import { jsonObject } from '../../../src/util/json/json-fields.js'
import { createSnapshot } from '../../support/create-snapshot.js'
import { documentsOf } from '../../support/documents.js'
import { createWatchedEngine } from '../../support/watched-engine.js'

/** Where documents of a schema are in a catalog. */
const KINDS: Readonly<Record<string, string>> = {
  'agent.json': 'agents:x',
  'tool.json': 'tools:m:x',
  'prompt.json': 'templates:x',
  'extension.json': 'extensions:x',
}
const directory = join(import.meta.dirname, '../../../schemas')

describe('published schemas', () => {
  it('are the files in schemas/ (npm run schemas writes them)', () => {
    expect(readdirSync(directory).sort()).toEqual(Object.keys(PUBLISHED_SCHEMAS).sort())
    for (const [name, schema] of Object.entries(PUBLISHED_SCHEMAS)) {
      expect(readFileSync(join(directory, name), 'utf8'), name).toBe(publishedText(schema))
    }
  })

  it.each(Object.entries(PUBLISHED_SCHEMAS))('%s is a draft-07 schema without a slip', (_, schema) => {
    const ajv = new Ajv({ strict: true, allErrors: true })
    expect(ajv.validateSchema(schema)).toBe(true)
    expect(() => ajv.compile(schema)).not.toThrow()
  })

  // Nobody looks through them when they are compiled.
  it.each(Object.entries(PUBLISHED_SCHEMAS))('%s is within the bounds of schemas of others', (_, schema) => {
    expect(() => surveySchema(jsonObject(schema))).not.toThrow()
  })

  it.each(Object.entries(PUBLISHED_SCHEMAS))('%s has an address and an example that fits', (name, schema) => {
    const { $id, examples } = schema as { readonly $id: string; readonly examples: readonly object[] }
    expect(new URL($id).pathname).toBe(`/ai-prompt-shell/schemas/${name}`)
    const validate = new Ajv({ strict: false }).compile(schema)
    for (const example of examples) {
      expect(validate(example), JSON.stringify(validate.errors)).toBe(true)
      if (KINDS[name] !== undefined) expect(serves(name, example)).toBe(true)
    }
    expect(examples.length).toBeGreaterThan(0)
  })

  it.each([
    { schema: 'prompt.json', document: { userPrompt: 'hi' }, fits: true },
    { schema: 'prompt.json', document: { prompt: 'hi', parameters: [{ name: 'a' }] }, fits: true },
    { schema: 'prompt.json', document: { userPrompt: 'hi', prompt: 'hi' }, fits: false },
    { schema: 'prompt.json', document: {}, fits: false },
    { schema: 'tool.json', document: { type: 'restful', url: '/x' }, fits: true },
    { schema: 'tool.json', document: { url: '/x' }, fits: true },
    { schema: 'tool.json', document: { restful: { url: '/x' } }, fits: true },
    { schema: 'tool.json', document: { grpc: { url: '/x', method: 'a.B/C' } }, fits: true },
    { schema: 'tool.json', document: { type: 'grpc', url: '/x', grpc: { method: 'a.B/C' } }, fits: true },
    { schema: 'tool.json', document: { mcp: { server: 'x' } }, fits: true },
    { schema: 'tool.json', document: { type: 'mcp' }, fits: true },
    { schema: 'tool.json', document: {}, fits: false },
    { schema: 'tool.json', document: { type: 'restful' }, fits: false },
    { schema: 'tool.json', document: { type: 'grpc' }, fits: false },
    { schema: 'tool.json', document: { type: 'grpc', url: '/x' }, fits: false },
    { schema: 'tool.json', document: { grpc: { method: 'a.B/C' } }, fits: false },
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
    expect(serves(schema, document)).toBe(fits)
  })
})

/** Whether the service takes a document, as it does when it loads one. */
function serves(schema: string, document: object): boolean {
  const snapshot = createSnapshot(documentsOf({ [KINDS[schema] as string]: document }), createWatchedEngine())
  return snapshot.diagnostics.every(({ severity }) => severity !== 'error')
}

it('the files of settings are as the service reads them', () => {
  const config = new Ajv({ strict: false }).compile(PUBLISHED_SCHEMAS['config-file.json'] as object)
  for (const file of [{}, parseYaml(blockOf('docs/reference/config-file.md'))])
    expect(config(file)).toBe(true)
  for (const file of [{ upstream: {} }, { models: [{ match: 'x' }] }]) expect(config(file)).toBe(false)
  const keys = new Ajv({ strict: false }).compile(PUBLISHED_SCHEMAS['keys-file.json'] as object)
  expect(keys(parseYaml(blockOf('docs/reference/keys.md')))).toBe(true)
  expect(keys({ keys: [{ name: 'web', scopes: ['read'] }] })).toBe(false)
})

/** The first YAML of a page. */
function blockOf(page: string): string {
  const text = readFileSync(join(directory, '..', page), 'utf8')
  return /```yaml\n([\s\S]*?)```/.exec(text)?.[1] ?? ''
}
