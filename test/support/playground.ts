import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { type ScriptedUpstream, startScriptedUpstream } from '../../src/testing.js'
import { startBrowser } from './browser.js'
import { type CliOutcome, runLocalTurn } from './run-cli.js'
import { startService } from './service-process.js'

/** A page in a browser of its own, with everything it complained about. */
export interface WatchedPage {
  readonly page: Page
  /** Messages of the console, errors of scripts, reports of the policy. */
  readonly complaints: readonly string[]
}

/** The built service over a real Redis, a tool server, a scripted model, and a real browser. */
export interface Playground {
  readonly url: string
  readonly upstream: ScriptedUpstream
  /** Writes documents as their owners do; a text is written as it is. */
  set(documents: Readonly<Record<string, unknown>>): Promise<void>
  /** Runs a command on the catalog, as somebody named ann. */
  cli(...args: readonly string[]): Promise<CliOutcome>
  /** Opens the page: with a hash such as `#/prompt/p.greet`. */
  open(hash?: string, options?: BrowserContextOptions): Promise<WatchedPage>
  close(): Promise<void>
}

export interface PlaygroundOptions {
  readonly redisUrl: string
  /** By their keys without the prefix. */
  readonly documents: Readonly<Record<string, unknown>>
  readonly environment?: Readonly<Record<string, string>>
  /** Addresses of further upstreams, by name. */
  readonly upstreams?: Readonly<Record<string, string>>
  /** Further sections of the configuration file. */
  readonly config?: object
}

/** What an answer of the tool server takes, so that calls have a length to see. */
const TOOL_MS = 20

/** Starts all of it. The caller closes it. */
export async function startPlayground(options: PlaygroundOptions): Promise<Playground> {
  const prefix = `page-${Math.random().toString(36).slice(2)}`
  const redis = new Redis(options.redisUrl)
  const upstream = await startScriptedUpstream()
  const tools = await startTools()
  const directory = mkdtempSync(join(tmpdir(), 'aps-page-'))
  const file = join(directory, 'config.json')
  const addresses = Object.entries({ first: upstream.url, ...options.upstreams })
  const upstreams = Object.fromEntries(addresses.map(([name, baseUrl]) => [name, { baseUrl }]))
  writeFileSync(file, JSON.stringify({ upstreams, ...options.config }))
  const set = async (documents: Readonly<Record<string, unknown>>) => {
    const pairs = Object.entries(documents).flatMap(([key, value]) => [
      `${prefix}:${key}`,
      typeof value === 'string' ? value : JSON.stringify(value),
    ])
    await redis.mset(pairs)
  }
  await set(options.documents)
  const [service, browser] = await Promise.all([
    startService({
      REDIS_URL: options.redisUrl,
      KEY_PREFIX: prefix,
      CONFIG_FILE: file,
      LLM_MODEL: 'gpt',
      // Nothing here is about these limits, and the machine may be busy.
      RENDER_TIMEOUT_MS: '60000',
      MAX_LOOP_DELAY_MS: '0',
      TOOL_BASE_URL: tools.url,
      TOOL_ALLOWED_HOSTS: '127.0.0.1',
      ...options.environment,
    }),
    startBrowser(),
  ])
  return {
    ...{ url: service.url, upstream, set },
    cli: (...args) =>
      runLocalTurn([...args, '--catalog', options.redisUrl], { USER: 'ann', KEY_PREFIX: prefix }),
    open: (hash = '', context = {}) => openPage(browser, `${service.url}/${hash}`, context),
    async close() {
      await browser.close()
      await service.stop()
      await upstream.close()
      tools.close()
      redis.disconnect()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** Answers every call with what it was given; `/broken` fails. */
async function startTools(): Promise<{ readonly url: string; close(): void }> {
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const piece of request) text += String(piece)
    await sleep(TOOL_MS)
    if (request.url?.startsWith('/broken') === true) response.statusCode = 500
    response.setHeader('content-type', 'application/json').end(JSON.stringify(`answer to ${text}`))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, close: () => void server.close() }
}

const REPORT_POLICY = `document.addEventListener('securitypolicyviolation', (report) =>
  console.error('policy: ' + report.violatedDirective + ' ' + report.blockedURI))`

async function openPage(browser: Browser, url: string, options: BrowserContextOptions): Promise<WatchedPage> {
  const context = await browser.newContext({
    viewport: { width: 1360, height: 900 },
    locale: 'en',
    ...options,
  })
  const page = await context.newPage()
  // Before the test's own limit, so that a failure says what it waited for.
  page.setDefaultTimeout(40_000)
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`))
  page.on('pageerror', (error) => complaints.push(String(error.stack)))
  await page.addInitScript({ content: REPORT_POLICY })
  await page.goto(url)
  return { page, complaints }
}
