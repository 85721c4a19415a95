import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openApiYaml } from '../../../scripts/write-openapi.js'
import type { TurnEvent, WireApproval } from '../../../src/agents/cycle/turn-event.js'
import { ERRORS, type ErrorCode } from '../../../src/errors.js'
import { REQUEST_HEADER_NAMES, RESPONSE_HEADER_NAMES } from '../../../src/http/openapi/headers.js'
import type { DocumentCondition } from '../../../src/registry/registry.js'
import { anthropicStatus } from '../../../src/schema/error-answers.js'
import type { ApprovalAnswerBody } from '../../../src/schema/session-api.js'
import type { TaskEventShape } from '../../../src/schema/task-events.js'
import type { TurnEventShape } from '../../../src/schema/turn-events.js'
import type { Static, TSchema } from '../../../src/schema/type.js'
import type { TaskEvent } from '../../../src/tasks/task-event.js'
import { isJsonObject, type JsonObject } from '../../../src/util/json/json.js'
import { publishedApi, publishedText } from '../../support/published-api.js'

const HTTP = join(import.meta.dirname, '../../../src/http')
/** A header that is read of requests, by its name or by that of a constant. */
const READS = /headers\??\.?\[('[a-z-]+'|[A-Z_]+)\]|\{ ('[a-z-]+'): \w+ \}: IncomingHttpHeaders/g
const CONSTANT = /const ([A-Z_]+) = ('[a-z-]+')/g
/** A header of ours wherever it is named, or one of HTTP that says something about an answer of ours. */
const NAMES =
  /'((?:x|anthropic)-[a-z-]+|request-id|etag|location|retry-after|server-timing|www-authenticate)'/g

/** Names of headers in the source of HTTP: what is read from requests, and what answers get. */
function headersOfSource(texts: readonly string[]): {
  readonly read: Set<string>
  readonly written: Set<string>
} {
  const [read, written] = [new Set<string>(), new Set<string>()]
  for (const text of texts) {
    const constants = new Map([...text.matchAll(CONSTANT)].map(([, name = '', value = '']) => [name, value]))
    const asked = [...text.matchAll(READS)].map(([, name = '', other = '']) => name || other)
    const here = new Set(asked.map((name) => (constants.get(name) ?? name).replaceAll("'", '')))
    for (const name of here) read.add(name)
    for (const [, name = ''] of text.matchAll(NAMES)) if (!here.has(name)) written.add(name)
  }
  return { read, written }
}

const SOURCE = readdirSync(HTTP, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !/^(openapi|playground)\//.test(name))
  .map((name) => readFileSync(join(HTTP, name), 'utf8'))
/** Headers that HTTP or its proxies give a meaning to, which no client of ours sets or reads. */
const HTTP_OWN = new Set([
  ...['accept', 'accept-encoding', 'content-type', 'content-encoding', 'content-length', 'host', 'origin'],
  ...['x-forwarded-for', 'x-content-type-options', 'x-accel-buffering', 'x-api-key', 'authorization'],
  ...['transfer-encoding', 'user-agent', 'vary', 'allow', 'connection', 'traceparent', 'sec-fetch-site'],
])

interface Media {
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly $ref?: string }>>
}
interface Operation {
  readonly summary?: string
  readonly operationId?: string
  readonly tags?: readonly string[]
  readonly security?: readonly object[]
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema?: { readonly $ref?: string } }>>
  }
  readonly parameters?: readonly { readonly in: string; readonly required?: boolean }[]
  readonly responses: Readonly<Record<string, Answer>>
}
interface Answer {
  readonly description: string
  readonly $ref?: string
  readonly content?: Readonly<Record<string, Media>>
}
const document: {
  readonly paths: Record<string, Record<string, Operation>>
  readonly servers: readonly { readonly url: string }[]
  readonly security: readonly object[]
  readonly components: {
    readonly examples: Readonly<Record<string, { readonly value: JsonObject }>>
    readonly responses: Readonly<Record<string, Answer>>
    readonly schemas: Readonly<Record<string, JsonObject>>
  }
} = publishedApi()
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)
/** Every object in the document that is a schema of its own right, with where it stands. */
function* schemasIn(value: unknown, path: string): Generator<readonly [path: string, schema: JsonObject]> {
  if (Array.isArray(value))
    for (const [index, each] of value.entries()) yield* schemasIn(each, `${path}/${index}`)
  if (!isJsonObject(value)) return
  if (isJsonObject(value['properties']) && Object.keys(value['properties']).length > 1) yield [path, value]
  for (const [name, each] of Object.entries(value)) {
    if (name !== 'examples' && name !== 'example') yield* schemasIn(each, `${path}/${name}`)
  }
}

/** The names of all kinds: the compiler misses none. */
const TURN_EVENTS: Readonly<Record<TurnEvent['type'], true>> = {
  ...{ 'turn.started': true, 'step.started': true, 'text.delta': true, 'reasoning.delta': true },
  ...{ 'tool.called': true, 'tool.result': true, 'approval.required': true, 'approval.resolved': true },
  ...{ rollback: true, retry: true, compacted: true, usage: true, paused: true, gap: true },
  ...{ 'turn.completed': true, 'turn.failed': true, 'turn.cancelled': true },
}
const TASK_EVENTS: Readonly<Record<TaskEvent['type'] | 'gap', true>> = {
  ...{ 'phase.started': true, plan: true, 'plan.refused': true, 'step.updated': true, evaluation: true },
  ...{ reflection: true, 'approval.required': true, 'approval.resolved': true, paused: true, gap: true },
  ...{ 'step.started': true, 'text.delta': true, 'reasoning.delta': true, 'tool.called': true },
  ...{ 'tool.result': true, rollback: true, retry: true, compacted: true, usage: true },
  ...{ 'task.completed': true, 'task.exhausted': true, 'task.failed': true, 'task.timed_out': true },
  ...{ 'task.cancelled': true },
}

const CATALOG_EVENTS: Readonly<
  Record<'hello' | 'reset' | 'release' | 'change' | DocumentCondition['change'], true>
> = {
  ...{ hello: true, reset: true, change: true, release: true, broken: true, mended: true },
}

/** What the service sends is what the document says: checked by the compiler. */
const typesAgree: {
  readonly turn: TurnEvent extends Readonly<Shown<typeof TurnEventShape>> ? true : false
  readonly task: TaskEvent extends Readonly<Shown<typeof TaskEventShape>> ? true : false
  readonly approval: WireApproval extends Shown<typeof ApprovalAnswerBody> ? true : false
} = { turn: true, task: true, approval: true }
type Shown<Shape extends TSchema> = DeepReadonly<Static<Shape>>
/** JSON is readonly already, and has no end. */
type DeepReadonly<Value> = JsonObject extends Value
  ? Value
  : Value extends object
    ? { readonly [Name in keyof Value]: DeepReadonly<Value[Name]> }
    : Value

const OPEN = ['/', '/healthz', '/readyz', '/metrics']

describe('openapi.yaml', () => {
  it('writes no shape twice: a shape of several places has a name', () => {
    const { components, paths } = document
    const named = Object.values(components.schemas)
    const places = new Map<string, string>()
    const twice: string[] = []
    for (const [path, schema] of schemasIn([paths, components.schemas], '')) {
      if (named.includes(schema)) continue
      const { description: _description, ...shape } = schema
      const text = JSON.stringify(shape)
      if (places.has(text)) twice.push(`${path} and ${places.get(text)}`)
      places.set(text, path)
    }
    expect(twice).toEqual([])
  })

  it('names no two fields of a shape alike but for their spelling: generated clients have one name for both', () => {
    const alike = [...schemasIn([document.paths, document.components.schemas], '')].flatMap(
      ([path, schema]) => {
        const names = Object.keys(Object(schema['properties']))
        const plain = names.map((name) => name.replaceAll('_', '').toLowerCase())
        return names
          .filter((_, index) => plain.indexOf(plain[index] ?? '') < index)
          .map((name) => `${path}/${name}`)
      },
    )
    expect(alike).toEqual([])
  })

  it.each([
    ['TurnEvent', TURN_EVENTS],
    ['TaskEvent', TASK_EVENTS],
    ['CatalogEvent', CATALOG_EVENTS],
  ])('has every event of a %s', (name, events) => {
    const { discriminator } = document.components.schemas[name] ?? {}
    expect(discriminator).toMatchObject({ propertyName: 'type' })
    expect(Object.keys((discriminator as { mapping: object }).mapping).sort()).toEqual(
      Object.keys(events).sort(),
    )
    expect(typesAgree).toEqual({ turn: true, task: true, approval: true })
  })

  it('has events where an answer may be a stream', () => {
    const streaming = operations.filter(
      ({ operation }) => operation.responses['200']?.content?.['text/event-stream'],
    )
    const takesStream = operations.filter(({ path, operation }) => {
      if (path.endsWith('/render')) return false
      const { $ref = '' } = operation.requestBody?.content['application/json']?.schema ?? {}
      const properties = document.components.schemas[$ref.split('/').at(-1) ?? '']?.['properties']
      const stream = isJsonObject(properties) ? properties['stream'] : undefined
      // Renders take the parameters of chats and ignore them.
      return isJsonObject(stream) && !String(stream['description']).startsWith('For chats')
    })
    expect(takesStream.length).toBeGreaterThan(6)
    const paths = (of: typeof operations) => of.map(({ path }) => path)
    expect(paths(streaming)).toEqual(expect.arrayContaining(paths(takesStream)))
    // Streams of ours that cannot continue end with an event of their own.
    const schemas = streaming
      .filter(({ path }) => path.startsWith('/api/') && !/\/ag-ui|\/ui\b/.test(path))
      .map(({ operation: { responses } }) => JSON.stringify(responses['200']))
    expect(schemas.length).toBeGreaterThan(6)
    expect(schemas.filter((schema) => !/\/StreamFailure"|`event: error`/.test(schema))).toEqual([])
  })

  it('knows every header that the source reads or writes', () => {
    const { read, written } = headersOfSource(SOURCE)
    expect(read).toContain('x-prompt-key')
    expect(written).toContain('x-prompt-revision')
    const unknown = (names: Set<string>, known: ReadonlySet<string>) =>
      [...names].filter((name) => !known.has(name) && !HTTP_OWN.has(name))
    expect(unknown(read, REQUEST_HEADER_NAMES)).toEqual([])
    expect(unknown(written, RESPONSE_HEADER_NAMES)).toEqual([])
  })

  it.each([
    ["const KEY_HEADER = 'x-new'\nconst given = headers[KEY_HEADER]", ['x-new'], []],
    ["const given = request.headers['x-new']", ['x-new'], []],
    ["function keyOf({ 'x-new': key }: IncomingHttpHeaders) {}", ['x-new'], []],
    ["headers.push('x-new', '1')", [], ['x-new']],
    ["reply.header('etag', tag)", [], ['etag']],
  ])('would notice the header of %s', (text, read, written) => {
    const found = headersOfSource([text])
    expect([[...found.read], [...found.written]]).toEqual([read, written])
  })

  it('is what the routes say (run `npm run openapi`)', async () => {
    expect(await openApiYaml()).toBe(publishedText())
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
    'documents the errors of $method $path, by example or by code',
    ({ path, operation }) => {
      const failing = Object.entries(operation.responses).filter(([status]) => !/^[23]/.test(status))
      expect(failing.some(([status]) => status.startsWith('4'))).toBe(true)
      if (!OPEN.includes(path)) expect(Object.keys(operation.responses)).toContain('401')
      for (const [status, { $ref = '' }] of failing) {
        const { content, description } = document.components.responses[$ref.split('/').at(-1) ?? ''] ?? {}
        const codes = Object.keys(content?.['application/json']?.examples ?? {}) as ErrorCode[]
        // Codes that take a history to come about are named, without an example.
        if (codes.length === 0) expect(description, `${path} ${status}`).toMatch(/: `\w+`/)
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
