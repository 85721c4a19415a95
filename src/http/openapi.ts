import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ErrorAnswer } from '../schema/api.js'
import type { JsonObject } from '../util/json.js'
import { jsonObject } from '../util/json-fields.js'
import { addAnswerExamples } from './answer-examples.js'
import { addDocsPage } from './docs-page.js'
import { entityTag, isKnown, sendUnchanged } from './entity-tag.js'
import { addErrorExamples } from './error-examples.js'

export interface OpenApiOptions {
  readonly version: string
}

const DESCRIPTION = `Prompts as live data: Go templates, shared context and tools, rendered and sent to language models.

Every error has the same body; \`error.code\` is a stable name to branch on. Every answer carries \`x-request-id\`.`

/** Collects the routes' schemas, and serves them as \`/openapi.json\` and as Swagger UI under \`/docs\`. */
export async function addOpenApi(server: FastifyInstance, options: OpenApiOptions): Promise<void> {
  server.addSchema(ErrorAnswer)
  await server.register(swagger, {
    refResolver: {
      buildLocalReference: (schema, _base, _fragment, index) => String(schema.$id ?? `def-${index}`),
    },
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'AI-Prompt-Shell',
        description: DESCRIPTION,
        version: options.version,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      tags: [
        { name: 'chat', description: 'Prompts rendered and sent to a model' },
        { name: 'openai', description: 'The interfaces of OpenAI, for its clients' },
        { name: 'sessions', description: 'Conversations with agents that outlive their requests' },
        { name: 'agents', description: 'Agents for the libraries of user interfaces' },
        { name: 'tasks', description: 'Work that is planned, carried out, judged, and planned again' },
        { name: 'render', description: 'Prompts become text or messages' },
        { name: 'catalog', description: 'What is registered' },
        { name: 'operation', description: 'Probes, status, metrics' },
      ],
      components: {
        securitySchemes: {
          apiKey: {
            type: 'http',
            scheme: 'bearer',
            description: 'One of `API_KEYS` or `KEYS_FILE`, when set',
          },
        },
      },
      servers: [{ url: '/', description: 'This service' }],
      security: [{}, { apiKey: [] }],
    },
  })
  addDocsPage(server)
  server.get('/openapi.json', { schema: { hide: true } }, documentSender(server))
  // Where the Go original had its documentation.
  server.get('/swagger/*', { schema: { hide: true } }, (_request, reply) => reply.redirect('/docs', 301))
}

/** The same as long as the process runs: written, and given its tag, when it is first asked for. */
function documentSender(server: FastifyInstance) {
  let document: { readonly text: string; readonly tag: string } | undefined
  return (request: FastifyRequest, reply: FastifyReply) => {
    document ??= writeDocument(server)
    if (isKnown(request, reply, document.tag)) return sendUnchanged(reply)
    return reply.type('application/json; charset=utf-8').serializer(String).send(document.text)
  }
}

function writeDocument(server: FastifyInstance) {
  const text = JSON.stringify(openApiOf(server))
  return { text, tag: entityTag(text) }
}

/** The interface as an OpenAPI document: what the routes say of themselves, and an example of each answer. */
export function openApiOf(server: FastifyInstance): JsonObject {
  return addAnswerExamples(addErrorExamples(jsonObject(server.swagger())))
}
