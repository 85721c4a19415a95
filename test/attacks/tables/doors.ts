import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import type { HttpRow } from './http-row.js'
import { list, names } from './json-texts.js'

/** An operation of the interface that takes a body. */
interface Door {
  readonly method: string
  readonly path: string
}

const METHODS = ['post', 'put', 'patch']

/** No field is needed, and those of newer clients are passed over. */
const TAKES_ANYTHING: ReadonlySet<string> = new Set(['/v1/conversations'])

function manyFields(): string {
  return names(30_000)
}

/** Bodies that no door takes. Those that the one reader of JSON refuses for all are in the table of bodies. */
const BODIES: readonly (Pick<HttpRow, 'name' | 'body' | 'status'> & Partial<HttpRow>)[] = [
  { name: 'a number of 100,000 digits', body: () => `{"a":${'7'.repeat(100_000)}}`, status: 400 },
  { name: '30,000 fields', body: manyFields, status: [400, 404] },
  {
    name: 'a list of 90,000 numbers',
    body: () => list('1', 90_000),
    status: 400,
  },
]

/** Every way in that takes a body, as the interface's own description lists them, with bodies that ask for too much. */
export const DOORS: readonly HttpRow[] = [
  ...described().flatMap(({ method, path }) =>
    BODIES.map((row) => ({
      ...row,
      ...(TAKES_ANYTHING.has(path) && row.body === manyFields && { status: 200 }),
      name: `${method} ${path}: ${row.name}`,
      method,
      path: filledIn(path),
    })),
  ),
  // Not described, and errors have the shape of its protocol.
  ...BODIES.map(({ name, body }) => ({ name: `POST /mcp: ${name}`, path: '/mcp', body, status: [400, 413] })),
]

function described(): readonly Door[] {
  const { paths }: { readonly paths: Readonly<Record<string, object>> } = parse(
    readFileSync(new URL('../../../openapi.yaml', import.meta.url), 'utf8'),
  )
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([method, operation]) => METHODS.includes(method) && 'requestBody' in operation)
      .map(([method]) => ({ method: method.toUpperCase(), path })),
  )
}

/** Nothing has these names; the prompt of the tables' catalog is there. */
function filledIn(path: string): string {
  return path.replace('prompts/{id}', 'prompts/demo.hello').replaceAll(/\{\w+\}/g, 'any')
}
