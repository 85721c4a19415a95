import { expect, it } from 'vitest'
import { publishedApi } from '../../support/published-api.js'

interface Body {
  readonly $ref?: string
  readonly anyOf?: readonly Body[]
  readonly additionalProperties?: boolean
  readonly maxProperties?: number
}

interface Document {
  readonly paths: Record<
    string,
    Record<string, { requestBody?: { content: Record<string, { schema: Body }> } }>
  >
  readonly components: { readonly schemas: Record<string, Body> }
}

const { paths, components }: Document = publishedApi()

/** Nothing copies their further fields: variables of the first release are read as they came, and programs for pages send what nobody reads. */
const READ_AS_THEY_CAME = [
  'post /api/agents/{id}/ag-ui',
  'post /api/agents/{id}/ui',
  'post /api/prompts/{id}/render',
]

function formsOf(body: Body): readonly Body[] {
  const { $ref } = body
  if ($ref !== undefined) return formsOf(components.schemas[$ref.split('/').at(-1) ?? ''] ?? {})
  return body.anyOf?.flatMap(formsOf) ?? [body]
}

it('a body with further fields says how many: they are copied on their way to a model', () => {
  const open = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { requestBody }]) =>
      formsOf(requestBody?.content['application/json']?.schema ?? {})
        .filter(({ additionalProperties }) => additionalProperties === true)
        .map(({ maxProperties }) => ({ operation: `${method} ${path}`, maxProperties })),
    ),
  )
  expect(open.length).toBeGreaterThan(10)
  const boundless = open.filter(({ maxProperties }) => maxProperties === undefined)
  expect(boundless.map(({ operation }) => operation).sort()).toEqual(READ_AS_THEY_CAME)
})
