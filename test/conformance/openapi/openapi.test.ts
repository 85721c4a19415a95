import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { openApiYaml } from '../../../scripts/write-openapi.js'
import { ERRORS, type ErrorCode } from '../../../src/errors.js'
import { anthropicStatus } from '../../../src/schema/error-answers.js'
import type { JsonObject } from '../../../src/util/json.js'

const published = readFileSync(join(import.meta.dirname, '../../../openapi.yaml'), 'utf8')

interface Media {
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly $ref?: string }>>
}
interface Operation {
  readonly summary?: string
  readonly operationId?: string
  readonly tags?: readonly string[]
  readonly security?: readonly object[]
  readonly parameters?: readonly { readonly in: string; readonly required?: boolean }[]
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>
}
const document = parse(published) as {
  readonly paths: Record<string, Record<string, Operation>>
  readonly servers: readonly { readonly url: string }[]
  readonly security: readonly object[]
  readonly components: { readonly examples: Readonly<Record<string, { readonly value: JsonObject }>> }
}
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)
const OPEN = ['/', '/healthz', '/readyz', '/metrics']

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

  it('names every operation, once, with a summary, a tag and a good answer', () => {
    const names = operations.map(({ operation }) => operation.operationId)
    expect(new Set(names).size).toBe(operations.length)
    for (const { path, method, operation } of operations) {
      const { operationId, summary, tags, responses } = operation
      expect({ path, method, operationId, summary, tags: tags?.length }).toEqual({
        path,
        method,
        operationId: expect.stringMatching(/^[a-z][A-Za-z]+$/),
        summary: expect.any(String),
        tags: 1,
      })
      expect(Object.keys(responses)).toContainEqual(expect.stringMatching(/^20[0-4]$/))
    }
  })

  it('says where the service is, and which routes need no key', () => {
    expect(document.servers).toEqual([{ url: '/', description: 'This service' }])
    expect(document.security).toContainEqual({ apiKey: [] })
    const open = operations
      .filter(({ operation }) => operation.security?.length === 0)
      .map(({ path }) => path)
    expect(open.sort()).toEqual([...OPEN].sort())
  })

  it('needs no parameter that has a default', () => {
    const needed = operations.flatMap(({ operation: { parameters = [] } }) =>
      parameters.filter((each) => each.in === 'query' && each.required === true),
    )
    expect(needed).toEqual([])
  })

  it.each(operations)(
    'documents the errors of $method $path, each with an example',
    ({ path, operation }) => {
      const failing = Object.entries(operation.responses).filter(([status]) => !/^[23]/.test(status))
      expect(failing.some(([status]) => status.startsWith('4'))).toBe(true)
      if (!OPEN.includes(path)) expect(Object.keys(operation.responses)).toContain('401')
      for (const [status, { content }] of failing) {
        const codes = Object.keys(content?.['application/json']?.examples ?? {}) as ErrorCode[]
        expect(codes, `${path} ${status}`).not.toEqual([])
        for (const code of codes) {
          const isAnthropic = path.startsWith('/v1/messages')
          const expected = isAnthropic ? anthropicStatus(code) : ERRORS[code].status
          expect([code, expected]).toEqual([code, Number(status)])
          const name = isAnthropic ? `anthropic_${code}` : code
          const example = document.components.examples[name]?.value['error']
          expect(example).toMatchObject(isAnthropic ? { code } : { code, type: ERRORS[code].type })
        }
      }
    },
  )
})
