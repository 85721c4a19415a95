import { once } from 'node:events'
import { get as httpGet, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createParser } from 'eventsource-parser'
import { inject } from 'vitest'
import { stringify } from 'yaml'
import { type App, type AppOverrides, buildApp } from '../../src/app.js'
import { loadConfig } from '../../src/config.js'
import { createMemoryState } from '../../src/state/memory-state.js'
import type { StateStore } from '../../src/state/state-store.js'
import {
  createScriptedModel,
  type ScriptedModel,
  type ScriptedReply,
} from '../../src/testing/scripted-model.js'
import { silentLogger } from '../../src/util/telemetry/logger.js'
import { systemClock } from '../../src/util/time/clock.js'
import { createCatalogDirectory } from './catalog-directory.js'
import { HAS_TIME } from './has-time.js'
import { collectSpans } from './spans.js'
import { type TestAgent, testAgents } from './test-agents.js'
import type { Json } from './test-app.js'

export type StateKind = 'memory' | 'Redis'

/** Where sessions are kept in a suite over all places: `npm test` of a developer has Redis, `TEST_STATES=all` both. */
export const STATE_KINDS: readonly StateKind[] =
  HAS_TIME || process.env['TEST_STATES'] === 'all' ? ['memory', 'Redis'] : ['Redis']

export interface ReplicaOptions {
  readonly state: StateKind
  readonly replies?: readonly ScriptedReply[]
  readonly agents?: ReadonlyMap<string, TestAgent>
  readonly environment?: Readonly<Record<string, string>>
  /** Sections of `CONFIG_FILE`. */
  readonly file?: Readonly<Record<string, unknown>>
  readonly overrides?: AppOverrides
  readonly leaseMs?: number
  /** Default 2. */
  readonly count?: number
}

/** Whole answer of a request. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Json
}

/** One service of several that share their state. */
export interface Replica {
  readonly app: App
  readonly url: string
  readonly store: StateStore
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
}

export interface Replicas {
  readonly all: readonly Replica[]
  readonly first: Replica
  readonly second: Replica
  readonly model: ScriptedModel
  readonly agents: Map<string, TestAgent>
  close(): Promise<void>
}

/**
 * Starts services over one state: in memory they share the store, in Redis each has its own connections. Those in memory
 * run with a tracer, so that every suite over both kinds runs with one and without.
 */
export async function startReplicas(options: ReplicaOptions): Promise<Replicas> {
  const { state, replies = ['hello'], environment = {}, leaseMs = 10_000, count = 2 } = options
  const catalog = createCatalogDirectory({})
  const model = createScriptedModel(replies)
  const agents = new Map(options.agents ?? [['helper', {}]])
  const shared =
    state === 'memory' ? createMemoryState({ clock: systemClock, leaseMs, ttlMs: 3_600_000 }) : undefined
  const redis = {
    STATE_URL: inject('redisUrl'),
    KEY_PREFIX: `sessions-${Math.random().toString(36).slice(2)}`,
  }
  const config = loadConfig({
    environment: {
      CATALOG_DIR: catalog.path,
      // Nobody is refused because the test itself keeps the loop busy.
      MAX_LOOP_DELAY_MS: '0',
      STATE_LEASE_MS: String(leaseMs),
      ...(state === 'Redis' && redis),
      ...environment,
      ...(options.file !== undefined && { CONFIG_FILE: 'config.yaml' }),
    },
    readFile: () => stringify(options.file ?? {}),
  })
  const all = await Promise.all(
    Array.from({ length: count }, async () => {
      const app = await buildApp(config, {
        logger: silentLogger(),
        model,
        agents: testAgents(agents),
        ...(shared !== undefined && { state: shared, tracer: collectSpans().tracer }),
        ...options.overrides,
      })
      await app.server.listen({ host: '127.0.0.1', port: 0 })
      const url = `http://127.0.0.1:${(app.server.server.address() as AddressInfo).port}`
      return { app, url, store: app.state, ask: (...what: AskArguments) => ask(url, ...what) }
    }),
  )
  const [first] = all as [Replica]
  return {
    all,
    first,
    second: all[1] ?? first,
    model,
    agents,
    async close() {
      await Promise.all(all.map(({ app }) => app.close()))
      catalog.dispose()
    },
  }
}

type AskArguments = [method: string, path: string, body?: unknown, headers?: Record<string, string>]

/** Sends a request to a service and reads its whole answer. */
export async function ask(url: string, ...[method, path, body, headers = {}]: AskArguments): Promise<Answer> {
  const response = await fetch(`${url}/api${path}`, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
  }
}

/** One event as a client reads it. */
export interface ReadEvent {
  readonly id: string | undefined
  readonly name: string
  readonly data: Json
}

/** A client that reads a stream of events. */
export interface EventReader {
  readonly status: number
  readonly events: readonly ReadEvent[]
  /** Whether the server ended the stream in order; one that broke off is not whole. */
  readonly isWhole: boolean
  /** Resolves when the stream is over. */
  readonly ended: Promise<void>
  /** Resolves with the first event of this name. */
  event(name: string): Promise<ReadEvent>
  cut(): void
}

/** Opens a stream: of a turn that it begins, with a body, or one to follow. */
export async function readEvents(
  url: string,
  path: string,
  {
    lastEventId,
    body,
    headers = {},
  }: { lastEventId?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<EventReader> {
  const { request } = await import('node:http')
  const options = {
    agent: false as const,
    headers: {
      ...headers,
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
  }
  const sent =
    body === undefined
      ? httpGet(`${url}/api${path}`, options)
      : request(`${url}/api${path}`, { ...options, method: 'POST' })
  if (body !== undefined) sent.end(JSON.stringify(body))
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const events: ReadEvent[] = []
  const waiting = new Set<() => void>()
  const parser = createParser({
    onEvent: ({ id, event = '', data }) => {
      events.push({ id, name: event, data: JSON.parse(data) })
      for (const wake of [...waiting]) wake()
    },
  })
  response.setEncoding('utf8').on('data', (text: string) => parser.feed(text))
  response.on('error', () => {})
  const ended = new Promise<void>((resolve) => response.on('close', resolve))
  return {
    status: response.statusCode ?? 0,
    events,
    get isWhole() {
      return response.complete
    },
    ended,
    event(name) {
      return new Promise((resolve, reject) => {
        const look = () => {
          const found = events.find((event) => event.name === name)
          if (found === undefined) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        void ended.then(() => reject(new Error(`the stream ended without ${name}`)))
        look()
      })
    },
    cut: () => void sent.destroy(),
  }
}
