import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { openApiYaml } from '../../../src/openapi-document.js'

const published = readFileSync(join(import.meta.dirname, '../../../openapi.yaml'), 'utf8')

interface Operation {
  readonly summary?: string
  readonly tags?: readonly string[]
  readonly responses: Readonly<Record<string, unknown>>
}
const document = parse(published) as { readonly paths: Record<string, Record<string, Operation>> }

describe('openapi.yaml', () => {
  it('is what the routes say (run `npm run openapi`)', async () => {
    expect(await openApiYaml()).toBe(published)
  })

  it('has every path of the interface', () => {
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining([
        '/api/extensions',
        '/api/extensions/{id}',
        '/api/prompts',
        '/api/prompts/{id}',
        '/api/environs',
        '/api/environs/{id}',
        '/api/tools',
        '/api/tools/{id}',
        '/api/render/prompts/{id}',
        '/api/render',
        '/api/prompts/{id}/render',
        '/api/chat/prompts/{id}',
        '/api/chat',
        '/api/prompts/{id}/chat',
        '/api/sessions',
        '/api/sessions/{session}/turns',
        '/api/sessions/{session}/turns/{turn}/events',
        '/api/approvals/{approval}',
        '/healthz',
        '/readyz',
        '/metrics',
        '/api/status',
      ]),
    )
  })

  it('gives every operation a summary, a tag and a good answer', () => {
    for (const [path, operations] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(operations)) {
        const seen = { path, method, summary: operation.summary, tags: operation.tags?.length }
        expect(seen).toEqual({ path, method, summary: expect.any(String), tags: 1 })
        expect(Object.keys(operation.responses)).toContainEqual(expect.stringMatching(/^20[014]$/))
      }
    }
  })
})
