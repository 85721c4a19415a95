import { publishedApi } from './published-api.js'
import type { Json } from './test-app.js'

/** A request that the OpenAPI document shows. */
export interface DocumentedRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'DELETE'
  readonly url: string
  readonly body?: Json
}

/** Needs what requests before it made: conversation-examples.test.ts. */
const STATEFUL = /^\/api\/(sessions|approvals|tasks)|^\/v1\/(responses|conversations)\/|\/(ui|ag-ui)\b/
/** Off unless somebody switches it on: test/integration/http/source.test.ts. */
const WRITES = 'saveSource'

/** Every request that the document shows and that needs none before it: a path with its example parameters, with each of its example bodies. */
export function documentedRequests(): readonly DocumentedRequest[] {
  return Object.entries<Json>(publishedApi().paths)
    .filter(([path]) => !STATEFUL.test(path))
    .flatMap(([path, operations]) =>
      Object.entries<Json>(operations)
        .filter(([, { operationId }]) => operationId !== WRITES)
        .flatMap(([method, operation]) => requestsOf(path, method, operation)),
    )
}

function requestsOf(
  path: string,
  method: string,
  { parameters = [], requestBody }: Json,
): readonly DocumentedRequest[] {
  const inPath: readonly Json[] = parameters.filter((each: Json) => each.in === 'path')
  const url = inPath.reduce((text: string, { name, example }) => {
    if (typeof example !== 'string') throw new Error(`${path} has no example of ${name}`)
    return text.replace(`{${name}}`, encodeURIComponent(example))
  }, path)
  // A stream has no end to wait for.
  if (method === 'get') return [{ method: path === '/api/events' ? 'HEAD' : 'GET', url }]
  if (method === 'delete') return [{ method: 'DELETE', url }]
  const { example, examples } = requestBody.content['application/json']
  const bodies = example === undefined ? Object.values<Json>(examples).map(({ value }) => value) : [example]
  return bodies.map((body) => ({ method: 'POST', url, body }))
}
