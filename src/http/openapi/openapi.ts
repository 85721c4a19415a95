import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AnthropicError } from '../../schema/anthropic-api.js'
import { ErrorAnswer } from '../../schema/api.js'
import { getOrCreate } from '../../util/get-or-create.js'
import { type JsonObject, parseJson } from '../../util/json/json.js'
import { jsonObject } from '../../util/json/json-fields.js'
import { jsonBytes } from '../../util/json/json-pieces.js'
import { loadOnce } from '../../util/load-once.js'
import { pause } from '../../util/slices/pause.js'
import { entityTag, isKnown, sendUnchanged } from '../answers/entity-tag.js'
import { addAnswerExamples } from './answer-examples.js'
import { addDocsPage } from './docs-page.js'
import { addErrorExamples } from './error-examples.js'
import { finishDocument } from './finish-document.js'
import { type ExamplesFor, withPromptExamples } from './prompt-examples.js'
import { publishedDocument } from './published-document.js'
import { createRouteBook } from './route-book.js'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * The interface as an OpenAPI document: what the routes say of themselves, and an example of each answer. `npm run openapi`
     * writes openapi.yaml of it. It holds the event loop for a third of a second.
     */
    describeApi(): Promise<JsonObject>
  }
}

export interface OpenApiOptions {
  readonly version: string
  /** Examples of the catalog, for the caller of `/openapi.json`. Default: none. */
  readonly examplesFor?: ExamplesFor | undefined
}

const DESCRIPTION = `Prompts as live data: Go templates, shared context and tools, rendered and sent to language models.

Every error has the same body; \`error.code\` is a stable name to branch on. Every answer carries \`x-request-id\`.

Versions are those of Semantic Versioning: before 1.0 a minor version may break what is here, a patch does not, and a name that is
replaced stays as an alias for one minor version. At any time answers may get further fields, streams further events, and lists of
known values (\`x-extensible-enum\`) further values.`

/** Serves the package's OpenAPI document as `/openapi.json` and as Swagger UI under `/docs`, from when somebody asks for it. */
export function addOpenApi(server: FastifyInstance, options: OpenApiOptions): void {
  server.addSchema(ErrorAnswer)
  server.addSchema(AnthropicError)
  const book = createRouteBook(server, {
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
      externalDocs: { url: '/docs', description: 'This interface to try, in the service itself' },
      tags: [
        { name: 'chat', description: 'Prompts rendered and sent to a model' },
        { name: 'openai', description: 'The interfaces of OpenAI, for its clients' },
        { name: 'anthropic', description: 'The messages interface of Anthropic, for its clients' },
        { name: 'sessions', description: 'Conversations with agents that outlive their requests' },
        { name: 'agents', description: 'Agents for the libraries of user interfaces' },
        { name: 'tasks', description: 'Work that is planned, carried out, judged, and planned again' },
        { name: 'approvals', description: 'Tool calls that wait for a person' },
        { name: 'render', description: 'Prompts become text or messages' },
        { name: 'compatibility', description: 'Paths of other services, for their unmodified clients' },
        { name: 'catalog', description: 'What is registered' },
        { name: 'tools', description: 'Calling tools of the catalog' },
        { name: 'operation', description: 'Probes, status, metrics' },
      ],
      components: {
        securitySchemes: {
          apiKey: {
            type: 'http',
            scheme: 'bearer',
            description: 'One of `API_KEYS` or `KEYS_FILE`, when set',
          },
          apiKeyHeader: {
            type: 'apiKey',
            in: 'header',
            name: 'x-api-key',
            description: 'The same key, in a header of its own',
          },
        },
      },
      servers: [{ url: '/', description: 'This service' }],
      security: [{ apiKey: [] }, { apiKeyHeader: [] }, {}],
    },
  })
  const describe = loadOnce(async () =>
    finishDocument(addAnswerExamples(addErrorExamples(await book.describe()))),
  )
  server.decorate('describeApi', describe)
  addDocsPage(server)
  const send = documentSender(options.examplesFor)
  server.get('/openapi.json', { schema: { hide: true } }, send)
  // The page's own, which is read through it: so large an answer would be copied five times in one turn of the event loop.
  server.get('/docs/json', { schema: { hide: true } }, send)
  // Where the Go original had its documentation.
  server.get('/swagger/*', { schema: { hide: true } }, (_request, reply) => reply.redirect('/docs', 301))
}

/** Written, and given its tag, once for each catalog of examples; without examples only once. */
function documentSender(examplesFor: ExamplesFor = () => NO_EXAMPLES) {
  const written = new WeakMap<JsonObject, Promise<{ readonly bytes: Buffer; readonly tag: string }>>()
  const write = async (examples: JsonObject) => {
    const bytes = await withExamples(await publishedDocument(), examples)
    await pause()
    return { bytes, tag: entityTag(hash('sha256', bytes)) }
  }
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const examples = examplesFor(request)
    const { bytes, tag } = await getOrCreate(written, examples, () => write(examples))
    if (isKnown(request, reply, tag)) return sendUnchanged(reply)
    return reply.type('application/json; charset=utf-8').send(bytes)
  }
}

/** The document with the examples of a catalog, as JSON; others run between reading it and writing it. */
async function withExamples(text: string, examples: JsonObject): Promise<Buffer> {
  if (Object.keys(examples).length === 0) return Buffer.from(text)
  const document = jsonObject(parseJson(text))
  await pause()
  return (await jsonBytes(withPromptExamples(document, examples))).joinedInTurns()
}

const NO_EXAMPLES: JsonObject = Object.freeze({})
