import type { StaticDocumentSpec } from '@fastify/swagger'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { isJsonObject, type JsonObject, own } from '../util/json.js'
import { loadOnce } from '../util/load-once.js'

type OpenApiDocument = NonNullable<StaticDocumentSpec['document']>

const PREFIX = '/docs'

/**
 * Serves Swagger UI under `/docs`. Its files are found and read when somebody first looks.
 *
 * @param describe the document that it shows
 */
export function addDocsPage(server: FastifyInstance, describe: () => Promise<JsonObject>): void {
  let page: FastifyInstance | undefined
  const open = loadOnce(async () => {
    page = await createPage(await describe())
    return page
  })
  server.addHook('onClose', async () => page?.close())
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const { method, url, headers } = request.raw
    const asked = { method: method === 'HEAD' ? 'HEAD' : 'GET', url: url ?? PREFIX, headers } as const
    const found = await (await open()).inject(asked)
    const { 'content-length': _length, connection: _connection, date: _date, ...rest } = found.headers
    return reply.code(found.statusCode).headers(rest).send(found.rawPayload)
  }
  server.get(PREFIX, { schema: { hide: true } }, answer)
  server.get(`${PREFIX}/*`, { schema: { hide: true } }, answer)
}

/** A server of its own, which nobody reaches but through ours. */
async function createPage(document: JsonObject): Promise<FastifyInstance> {
  const { default: swagger } = await import('@fastify/swagger')
  const { default: swaggerUi } = await import('@fastify/swagger-ui')
  if (!isOpenApi(document)) throw new TypeError('what Swagger UI is to show is no OpenAPI document')
  const page = Fastify()
  await page.register(swagger, { mode: 'static', specification: { document } })
  await page.register(swaggerUi, {
    routePrefix: PREFIX,
    uiConfig: { docExpansion: 'list', tryItOutEnabled: true, displayRequestDuration: true },
    staticCSP: true,
    // The page must also work over plain http on another machine.
    transformStaticCSP: (header) =>
      header
        .replace(/ *upgrade-insecure-requests;?/, '')
        .replace("style-src 'self'", "style-src 'self' 'unsafe-inline'"),
    theme: {
      title: 'AI-Prompt-Shell',
      css: [{ filename: 'theme.css', content: '.swagger-ui .topbar { display: none }' }],
    },
  })
  await page.ready()
  return page
}

function isOpenApi(document: JsonObject): document is JsonObject & OpenApiDocument {
  return isJsonObject(own(document, 'info')) && isJsonObject(own(document, 'paths'))
}
