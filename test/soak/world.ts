import { Redis } from 'ioredis'
import { completion, type ScriptedUpstream, startScriptedUpstream, stream } from '../../src/testing.js'
import { type AttackedService, startAttackedService } from '../attacks/support/attack.js'
import { DOCUMENTS } from '../attacks/support/http-attack.js'
import { readBody, sendJson, startHttpServer, type TestServer } from '../integration/tools/http-server.js'
import { type RedisServer, startRedisServer } from '../support/redis-server.js'
import { openTcpProxy, type TcpProxy } from '../support/tcp-proxy.js'

/** The built service with all it talks to, each behind something that can break. */
export interface World {
  readonly service: AttackedService
  readonly redisProxy: TcpProxy
  readonly upstreamProxy: TcpProxy
  /** When the tool was done with what it was asked for, by `performance.now`; undefined if it was not asked yet. */
  toolAnsweredAt(text: string): number | undefined
  /** Kills Redis, and starts another one with the same documents in its place. */
  restartRedis(): Promise<void>
  /** The exit code of the service. */
  close(): Promise<number | null>
}

/** How long a render may take here: the tool is served by the process that makes the load, which is busy too. */
export const RENDER_TIMEOUT_MS = 2_000

/** What the prompts of the world say, given a name. */
export const SAYS = {
  plain: (name: string) => `Hello ${name}, welcome to the soak.`,
  tool: (name: string) => `The tool says <${name}>.`,
}

const CATALOG: Readonly<Record<string, unknown>> = {
  'templates/soak/plain.json': { userPrompt: 'Hello {{.variables.name}}, welcome to {{.soak.place}}.' },
  'templates/soak/tool.json': { userPrompt: 'The tool says {{soak_say .variables.name}}.' },
  'environs/soak.json': { place: 'the soak' },
}

/** Starts it. */
export async function openWorld(): Promise<World> {
  const answeredAt = new Map<string, number>()
  const toolServer: TestServer = await startHttpServer((request, response) => {
    void readBody(request).then((body) => {
      const { text } = JSON.parse(body)
      sendJson(response, `<${text}>`)
      answeredAt.set(text, performance.now())
    })
  })
  const documents = { ...DOCUMENTS, ...CATALOG, 'tools/soak/say.json': toolAt(toolServer.url) }
  let redis = await startRedisServer()
  await write(redis, documents)
  const redisProxy = await openTcpProxy(redis.port)
  const upstream: ScriptedUpstream = await startScriptedUpstream()
  upstream.script(({ body }) => answerTo(body))
  const upstreamProxy = await openTcpProxy(Number(new URL(upstream.url).port))
  const service = await startAttackedService(
    {},
    {
      RENDER_TIMEOUT_MS: String(RENDER_TIMEOUT_MS),
      CATALOG_DIR: '',
      REDIS_URL: redisProxy.url,
      LLM_BASE_URL: `http://127.0.0.1:${upstreamProxy.port}/v1`,
      LLM_API_KEY: 'soak',
      TOOL_ALLOWED_HOSTS: '127.0.0.1:*',
      LOG_LEVEL: 'fatal',
    },
  )
  return {
    service,
    redisProxy,
    upstreamProxy,
    toolAnsweredAt: (text) => answeredAt.get(text),
    async restartRedis() {
      const { port } = redis
      redisProxy.down()
      await redis.stop()
      redis = await startRedisServer({ port })
      await write(redis, documents)
      redisProxy.restore()
    },
    async close() {
      const code = await service.stop()
      await Promise.all([redisProxy.close(), upstreamProxy.close(), upstream.close(), toolServer.close()])
      await redis.stop()
      return code
    },
  }
}

function toolAt(url: string): object {
  const parameters = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }
  return { name: 'say', module: 'soak', type: 'restful', method: 'POST', url, parameters }
}

async function write({ url }: RedisServer, documents: Readonly<Record<string, unknown>>): Promise<void> {
  const redis = new Redis(url)
  for (const [path, document] of Object.entries(documents)) {
    const key = `shenma:${path.replace(/\.json$/, '').replaceAll('/', ':')}`
    await redis.set(key, JSON.stringify(document))
  }
  redis.disconnect()
}

/** Repeats what it was asked, word by word where it is streamed. */
function answerTo(body: Readonly<Record<string, unknown>>) {
  const messages = body['messages'] as readonly { readonly content: string }[]
  const said = `heard: ${messages.at(-1)?.content}`
  return body['stream'] === true ? stream(said.split(/(?<= )/)) : completion(said)
}
