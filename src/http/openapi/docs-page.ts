import type { StaticDocumentSpec } from '@fastify/swagger'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isJsonObject, type JsonObject, own, parseJson } from '../../util/json/json.js'
import { jsonObject } from '../../util/json/json-fields.js'
import { loadOnce } from '../../util/load-once.js'
import { fastify } from '../../util/packages/fastify.js'
import { readPackages } from '../../util/packages/read-packages.js'
import { pause } from '../../util/slices/pause.js'
import { PAGE_HEADERS } from '../playground/send-page-file.js'
import { createCompilers } from '../requests/validation.js'
import { publishedDocument } from './published-document.js'

type OpenApiDocument = NonNullable<StaticDocumentSpec['document']>

const PREFIX = '/docs'
/** What Swagger UI reads when its page begins, also in the midst of a function. */
const PACKAGES = [
  '@fastify/swagger',
  '@fastify/swagger/lib/mode/static.js',
  '@fastify/swagger-ui',
  '@fastify/swagger-ui/lib/routes.js',
  // What Fastify injects requests with.
  'light-my-request',
]

/** What the page may do. Swagger UI writes styles into its elements, and pictures into its styles. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * Serves Swagger UI under `/docs`. Its files are found and read when somebody first looks.
 */
export function addDocsPage(server: FastifyInstance): void {
  let page: FastifyInstance | undefined
  const open = loadOnce(async () => {
    page = await createPage(jsonObject(parseJson(await publishedDocument())))
    return page
  })
  server.addHook('onClose', async () => page?.close())
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const { method, url, headers } = request.raw
    const asked = { method: method === 'HEAD' ? 'HEAD' : 'GET', url: url ?? PREFIX, headers } as const
    const found = await (await open()).inject(asked)
    if (found.statusCode === 404) return reply.callNotFound()
    const { 'content-length': _length, connection: _connection, date: _date, ...rest } = found.headers
    return reply
      .code(found.statusCode)
      .headers(rest)
      .headers(PAGE_HEADERS)
      .header('content-security-policy', POLICY)
      .send(found.rawPayload)
  }
  server.get(PREFIX, { schema: { hide: true } }, answer)
  server.get(`${PREFIX}/*`, { schema: { hide: true } }, answer)
}

/** A server of its own, which nobody reaches but through ours. Gives way to others between its parts. */
async function createPage(document: JsonObject): Promise<FastifyInstance> {
  await readPackages(PACKAGES, import.meta.url)
  const { default: swagger } = await import('@fastify/swagger')
  const { default: swaggerUi } = await import('@fastify/swagger-ui')
  if (!isOpenApi(document)) throw new TypeError('the document for Swagger UI is not an OpenAPI document')
  const page = fastify({ schemaController: { compilersFactory: createCompilers() } })
  await page.register(swagger, { mode: 'static', specification: { document } })
  await pause()
  await page.register(swaggerUi, {
    routePrefix: PREFIX,
    uiConfig: {
      docExpansion: 'list',
      tryItOutEnabled: true,
      displayRequestDuration: true,
      validatorUrl: null,
    },
    theme: {
      title: 'AI-Prompt-Shell',
      css: [{ filename: 'theme.css', content: '.swagger-ui .topbar { display: none }' }],
    },
  })
  await pause()
  await page.ready()
  await pause()
  return page
}

function isOpenApi(document: JsonObject): document is JsonObject & OpenApiDocument {
  return isJsonObject(own(document, 'info')) && isJsonObject(own(document, 'paths'))
}
