import type { IncomingMessage, Server } from 'node:http'
import { createRequire } from 'node:module'
import type { Ajv2020 } from 'ajv/dist/2020.js'
import { once } from '../../src/util/once.js'
import { publishedApi } from './published-api.js'
import type { Json } from './test-app.js'

/** An answer of the service, and what was asked. */
export interface GivenAnswer {
  readonly method: string
  readonly url: string
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
}

/** Headers of HTTP itself, and those that protect browsers. */
const OF_HTTP = new Set([
  ...[
    'content-type',
    'content-length',
    'content-encoding',
    'date',
    'connection',
    'keep-alive',
    'cache-control',
  ],
  ...['vary', 'allow', 'x-content-type-options', 'x-accel-buffering', 'transfer-encoding'],
  ...['content-security-policy'],
])
/** Headers of requests that HTTP, its proxies and tracing have a meaning for, and keys. */
const READ_OF_HTTP = new Set([
  ...[
    'accept',
    'accept-encoding',
    'content-type',
    'content-length',
    'host',
    'origin',
    'connection',
    'expect',
  ],
  ...[
    'authorization',
    'content-encoding',
    'x-api-key',
    'traceparent',
    'tracestate',
    'user-agent',
    'sec-fetch-site',
  ],
  ...['transfer-encoding', 'x-forwarded-for', 'forwarded', 'upgrade', 'access-control-request-method'],
])
/** Read for every call of a tool or model; it decides where prompts and agents have labels. */
const READ_FOR_ALL = new Set(['x-prompt-key'])

interface Operation {
  readonly pattern: RegExp
  readonly parameters: number
  readonly pointer: string
  readonly operation: Json
}

const operations = once((): readonly Operation[] =>
  Object.entries<Json>(publishedApi().paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, operation]) => ({
      pattern: new RegExp(`^${method} ${path.replace(/[.]/g, '\\.').replace(/\{[^}]+\}/g, '[^/]+')}$`),
      parameters: path.split('{').length,
      pointer: `/paths/${escaped(path)}/${method}`,
      operation,
    })),
  ),
)

/** The document, each part of which may be compiled. */
const checks = once((): Ajv2020 => {
  const { Ajv2020: Ajv } = createRequire(import.meta.url)('ajv/dist/2020.js')
  const ajv: Ajv2020 = new Ajv({ strict: false, validateFormats: false, allErrors: true })
  return ajv.addSchema({ ...publishedApi(), $id: 'api' })
})

/**
 * What an answer has that openapi.yaml does not: its status, headers, media type, and whatever of its body or events does
 * not fit their schema. Empty for an answer that is documented.
 */
export function undocumented({ method, url, status, headers, text }: GivenAnswer): readonly string[] {
  const found = operationOf(method, url)
  if (found === undefined) return [`no operation ${method} ${url}`]
  const written: Json = found.operation.responses[status]
  if (written === undefined) return [`status ${status}`]
  const isShared = typeof written.$ref === 'string'
  const pointer = isShared ? written.$ref.slice(1) : `${found.pointer}/responses/${status}`
  const response = isShared ? publishedApi().components.responses[written.$ref.split('/').at(-1)] : written
  const known = new Set(Object.keys(response.headers ?? {}).map((name) => name.toLowerCase()))
  const unknown = Object.keys(headers).filter((name) => !known.has(name) && !OF_HTTP.has(name))
  const type = String(headers['content-type'] ?? '').split(';')[0] ?? ''
  const wrong = unknown.map((name) => `header ${name}`)
  if (text === '') return wrong
  if (response.content?.[type] === undefined) return [...wrong, `media type ${type}`]
  const schema = `api#${pointer}/content/${escaped(type)}/schema`
  if (type === 'application/json') return [...wrong, ...misfits(schema, JSON.parse(text), 'body')]
  return type === 'text/event-stream'
    ? [...wrong, ...eventsOf(text).flatMap((each) => misfits(schema, each, 'event'))]
    : wrong
}

function operationOf(method: string, url: string): Operation | undefined {
  const asked = `${method.toLowerCase().replace('head', 'get')} ${url.split('?')[0]}`
  const fitting = operations().filter(({ pattern }) => pattern.test(asked))
  return fitting.sort((one, other) => one.parameters - other.parameters)[0]
}

function misfits(schema: string, value: Json, what: string): readonly string[] {
  const check = checks().getSchema(schema)
  if (check === undefined) return [`no schema ${schema}`]
  if (check(value)) return []
  return (check.errors ?? []).map(
    ({ instancePath, message }) => `${what} ${value?.type ?? ''} ${instancePath} ${message}`,
  )
}

function eventsOf(text: string): readonly Json[] {
  return [...text.matchAll(/^data: (.*)$/gm)]
    .filter(([, data]) => data !== '[DONE]')
    .map(([, data = '']) => JSON.parse(data))
}

/** A place in a JSON pointer that is part of a URI. */
function escaped(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))
}

/**
 * Notes which headers of requests a server reads that the document does not name for the operation, from now on.
 *
 * @returns what was noted, as `header of METHOD path`
 */
export function noteReadHeaders(server: Server): ReadonlySet<string> {
  const noted = new Set<string>()
  server.prependListener('request', (request: IncomingMessage) => {
    const found = operationOf(request.method ?? '', request.url ?? '')
    if (found === undefined) return
    const known = new Set(documentedHeaders(found.operation))
    const headers = new Proxy(request.headers, {
      get(all, name) {
        if (
          typeof name === 'string' &&
          !known.has(name) &&
          !READ_OF_HTTP.has(name) &&
          !READ_FOR_ALL.has(name)
        )
          noted.add(`${name} of ${request.method} ${request.url?.split('?')[0]}`)
        return Reflect.get(all, name)
      },
    })
    Object.defineProperty(request, 'headers', { value: headers })
  })
  return noted
}

function documentedHeaders({ parameters = [] }: Json): readonly string[] {
  const components = publishedApi().components.parameters
  return parameters
    .map((each: Json) => (each.$ref === undefined ? each : components[each.$ref.split('/').at(-1)]))
    .filter((each: Json) => each.in === 'header')
    .map((each: Json) => each.name.toLowerCase())
}
