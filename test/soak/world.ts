import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { hashOfKey } from '../../src/access/key-ring.js'
import {
  completion,
  EVENT_STREAM,
  type ScriptedAnswer,
  type ScriptedUpstream,
  startScriptedUpstream,
  stream,
} from '../../src/testing.js'
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
  /** Before the Redis that keeps sessions and tasks. */
  readonly stateProxy: TcpProxy
  readonly keys: SoakKeys
  /** Writes the file of keys again, with the same keys. */
  replaceKeys(): void
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
  'agents/soak/helper.json': { instructions: 'Be brief.', model: 'm', tools: ['soak.say'] },
}

/** One that may do everything, and one that may only render `soak.plain`. */
export interface SoakKeys {
  readonly all: string
  readonly narrow: string
}

const KEYS: SoakKeys = { all: 'soak-everything', narrow: 'soak-one-prompt' }

/** Starts it. */
export async function openWorld(): Promise<World> {
  const scratch = mkdtempSync(join(tmpdir(), 'aps-soak-'))
  const keysFile = join(scratch, 'keys.json')
  let keysWritten = 0
  const replaceKeys = () => {
    keysWritten += 1
    writeFileSync(`${keysFile}.new`, keysText(keysWritten))
    renameSync(`${keysFile}.new`, keysFile)
  }
  replaceKeys()
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
  const stateRedis = await startRedisServer()
  const stateProxy = await openTcpProxy(stateRedis.port)
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
      STATE_URL: stateProxy.url,
      STATE_LEASE_MS: '3000',
      SESSION_TTL_MS: '60000',
      KEYS_FILE: keysFile,
      RESYNC_INTERVAL_MS: '5000',
    },
  )
  return {
    service,
    redisProxy,
    upstreamProxy,
    stateProxy,
    keys: KEYS,
    replaceKeys,
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
      await Promise.all([stateProxy.close(), redis.stop(), stateRedis.stop()])
      rmSync(scratch, { recursive: true })
      return code
    },
  }
}

function toolAt(url: string): object {
  const parameters = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }
  return { name: 'say', module: 'soak', type: 'restful', method: 'POST', url, parameters, readOnly: true }
}

async function write({ url }: RedisServer, documents: Readonly<Record<string, unknown>>): Promise<void> {
  const redis = new Redis(url)
  for (const [path, document] of Object.entries(documents)) {
    const key = `shenma:${path.replace(/\.json$/, '').replaceAll('/', ':')}`
    await redis.set(key, JSON.stringify(document))
  }
  redis.disconnect()
}

function keysText(version: number): string {
  const scopes = ['read', 'render', 'inline', 'chat', 'agents', 'tasks', 'tools', 'admin']
  const all = { name: 'all', hash: hashOfKey(KEYS.all), scopes, note: `version ${version}` }
  const narrow = { name: 'narrow', hash: hashOfKey(KEYS.narrow), scopes: ['render'], prompts: ['soak.plain'] }
  return JSON.stringify({ keys: [all, narrow] })
}

/** Repeats what it was asked, word by word where it is streamed; who has a tool is asked to call it first. */
function answerTo(body: Readonly<Record<string, unknown>>) {
  const messages = body['messages'] as readonly { readonly role: string; readonly content: string }[]
  const last = messages.at(-1)
  const hasTool = Array.isArray(body['tools']) && body['tools'].length > 0
  if (hasTool && last?.role === 'user') return callOf(last.content, body['stream'] === true)
  const said = last?.role === 'tool' ? `the tool said ${last.content}` : `heard: ${last?.content}`
  return body['stream'] === true ? stream(said.split(/(?<= )/)) : completion(said)
}

/** Asks for a call of the one tool. */
function callOf(text: string, isStreamed: boolean): ScriptedAnswer {
  const call = {
    id: 'call_1',
    type: 'function',
    function: { name: 'soak_say', arguments: JSON.stringify({ text }) },
  }
  const message = { role: 'assistant', content: null, tool_calls: [call] }
  if (!isStreamed) return completion('', { choices: [{ index: 0, message, finish_reason: 'tool_calls' }] })
  const delta = { ...message, tool_calls: [{ index: 0, ...call }] }
  const head = { id: 'chatcmpl-soak', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'm' }
  const chunks = [
    { ...head, choices: [{ index: 0, delta, finish_reason: null }] },
    { ...head, choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
  ]
  const events = [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]']
  return { headers: EVENT_STREAM, pieces: events.map((event) => `data: ${event}\n\n`) }
}
