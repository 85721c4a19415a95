import { execFile } from 'node:child_process'
import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  completion,
  type RecordedRequest,
  type ScriptedAnswer,
  type ScriptedUpstream,
  startScriptedUpstream,
  stream,
} from '../../src/testing.js'
import { type RedisServer, startRedisServer } from '../support/redis-server.js'
import { type ServiceProcess, startService } from '../support/service-process.js'
import type { Json } from '../support/test-app.js'
import { clientProject } from './client-project.js'
import { obey } from './obedient-model.js'

const run = promisify(execFile)
const folder = join(import.meta.dirname, 'replica-programs')
const PROGRAMS = readdirSync(folder)
/** The newest releases that run on Node 20. */
const CLIENTS = { '@openai/agents': '0.14.3', openai: '6.49.0', zod: '4.6.7' }
const REPLICAS = 3

let redis: RedisServer
let upstream: ScriptedUpstream
let services: readonly ServiceProcess[] = []

/** A model that also counts what it was told: nobody else knows whether a conversation was whole. */
function count(request: RecordedRequest): ScriptedAnswer {
  const { messages, stream: isStream }: Json = request.body
  const users = messages.filter(({ role }: Json) => role === 'user')
  const last = messages.at(-1)
  if (last.role !== 'user' || last.content !== 'how many turns?') return obey(request)
  const text = `You said: how many turns? (${users.length})`
  return isStream === true ? stream(text.split(/(?<= )/)) : completion(text)
}

beforeAll(async () => {
  redis = await startRedisServer()
  upstream = await startScriptedUpstream(count)
  const environment = { LLM_BASE_URL: upstream.url, LLM_MODEL: 'scripted', STATE_URL: redis.url }
  services = await Promise.all(Array.from({ length: REPLICAS }, () => startService(environment)))
}, 120_000)
afterAll(async () => {
  await Promise.all(services.map((service) => service.stop()))
  await upstream.close()
  await redis.stop()
})

it.each(PROGRAMS)(
  '%s, each call at another of three replicas',
  async (program) => {
    const project = clientProject(CLIENTS)
    cpSync(folder, project, { recursive: true })
    const urls = services.map(({ url }) => url).join(' ')
    const environment = { ...process.env, SERVICE_URLS: urls }
    await run(process.execPath, [program], { cwd: project, env: environment })
    expect(urls.split(' ')).toHaveLength(REPLICAS)
  },
  300_000,
)
