import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { releaseNote } from '../../src/util/packages/node-release.js'
import { createCatalogDirectory } from '../support/catalog-directory.js'
import { COMPILES_LATE } from '../support/compiles-late.js'
import { eventually } from '../support/eventually.js'
import { freePort } from '../support/free-port.js'
import { type Finished, runMain, startService } from '../support/service-process.js'
import { slowIt } from '../support/slow-it.js'

const scratch = mkdtempSync(join(tmpdir(), 'ai-prompt-shell-e2e-'))
afterAll(() => rmSync(scratch, { recursive: true }))

/** Of the log's lines. */
const INFO = 30
const json = { 'content-type': 'application/json' }
const post = (url: string, body: unknown) =>
  fetch(url, { method: 'POST', headers: json, body: JSON.stringify(body) })

describe('the built service', () => {
  let ended: Finished

  it('renders the bundled catalog without any configuration, and ends with 0 on SIGTERM', async () => {
    const service = await startService({ LOG_LEVEL: 'info' })
    const response = await post(`${service.url}/api/render/prompts/evaluator.evaluate_quality`, {
      variables: {},
    })
    const body = (await response.json()) as {
      readonly rendered_prompt: readonly { readonly content: string }[]
    }
    expect([response.status, body]).toMatchObject([200, { status: 'success', kind: 'messages' }])
    expect(body.rendered_prompt).toHaveLength(2)
    expect(body.rendered_prompt[1]?.content).toContain('Readability: names say what things are')
    for (const path of ['/healthz', '/metrics', '/openapi.json', '/docs/', '/api/status', '/api/tools']) {
      expect([path, (await fetch(service.url + path)).status]).toEqual([path, 200])
    }
    await (await fetch(`${service.url}/api/prompts/nothing`, { headers: { 'x-request-id': 'e2e-1' } })).text()
    ended = await service.stop('SIGTERM')
    expect(ended).toMatchObject({ code: 0, stderr: '' })
  })

  it('has warned of the release of Node that it runs on, where there is something to say', () => {
    const warnings = ended.stdout
      .trim()
      .split('\n')
      .map((line): { level: number; msg: string } => JSON.parse(line))
      .filter(({ level }) => level > INFO)
    const note = releaseNote(process.versions.node, Date.now())
    // A busy machine may be reason for other warnings.
    expect(warnings.filter(({ msg }) => msg === note)).toHaveLength(note === undefined ? 0 : 1)
  })

  it('has logged JSON lines, one per request, and all of them before it ended', () => {
    const lines = ended.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(lines.filter(({ requestId }) => requestId === 'e2e-1')).toMatchObject([
      { method: 'GET', route: '/api/prompts/:id', status: 404, code: 'prompt_not_found' },
    ])
    for (const beginning of [
      'listening on http://127.0.0.1:',
      'no API key is required: everybody who reaches 127.0.0.1:',
    ])
      expect([beginning, lines.some(({ msg }) => String(msg).startsWith(beginning))]).toEqual([
        beginning,
        true,
      ])
  })

  slowIt('ends with 0 on SIGINT, open keep-alive connections or not', async () => {
    const service = await startService({ LOG_LVL: 'debug' })
    await (await fetch(`${service.url}/healthz`)).text()
    const { code, stdout } = await service.stop('SIGINT')
    expect(code).toBe(0)
    expect(stdout).toContain('"LOG_LVL is not a setting, did you mean LOG_LEVEL?"')
  })

  slowIt('finishes requests that run when SIGTERM comes', async () => {
    const catalog = createCatalogDirectory({
      'templates/a/slow.json': {
        userPrompt: '{{demo_wait}}{{range $i := until 3000}}{{range $j := until 300}}{{end}}{{end}}done',
      },
      'tools/demo/wait.json': { url: '/wait' },
    })
    const tool = createHttpServer()
    const called: Promise<unknown[]> = once(tool, 'request')
    await once(tool.listen(0, '127.0.0.1'), 'listening')
    const { port } = tool.address() as AddressInfo
    const service = await startService({
      CATALOG_DIR: catalog.path,
      TOOL_BASE_URL: `http://127.0.0.1:${port}`,
      RENDER_TIMEOUT_MS: '20000',
    })
    const running = post(`${service.url}/api/render/prompts/a.slow`, {})
    const [, answer] = (await called) as [IncomingMessage, ServerResponse]
    const stopped = service.stop()
    answer.setHeader('content-type', 'application/json').end('"waited "')
    const response = await running
    expect([200, 503]).toContain(response.status)
    await response.text()
    expect((await stopped).code).toBe(0)
    catalog.dispose()
    tool.close()
  })

  slowIt('says nothing when who reads what it prints goes away', () => {
    const command = '"$0" dist/main.js --help | true'
    const { stderr } = spawnSync('sh', ['-c', command, process.execPath], { encoding: 'utf8' })
    expect(stderr).toBe('')
  })

  slowIt('says in one line that its port is in use', async () => {
    const port = await freePort()
    const other = createServer().listen(port, '127.0.0.1')
    const outcome = await runMain([], { PORT: String(port), LOG_LEVEL: 'silent' })
    other.close()
    expect(outcome.code).toBe(1)
    expect(outcome.stderr).toBe(
      `Port ${port} on 127.0.0.1 is already in use: stop what uses it, or choose another with --port or PORT\n`,
    )
  })

  slowIt('ends with 78 and every mistake in one message when the configuration is wrong', async () => {
    const file = join(scratch, 'bad.yaml')
    writeFileSync(file, 'upstreams: {a: {url: x}}\n')
    const outcome = await runMain([], { PORT: 'http', RENDER_TIMEOUT: '1', CONFIG_FILE: file })
    expect([outcome.code, outcome.stdout]).toEqual([78, ''])
    for (const name of ['PORT', 'RENDER_TIMEOUT', 'CONFIG_FILE /upstreams/a'])
      expect(outcome.stderr).toContain(name)
  })

  slowIt('names the setting whose value cannot be read', async () => {
    const tools = await runMain([], { TOOL_ALLOWED_HOSTS: 'http://x y' })
    expect([tools.code, tools.stderr]).toEqual([78, expect.stringContaining('TOOL')])
    const redis = await runMain([], { REDIS_URL: 'redis://a:b:c' })
    expect([redis.code, redis.stderr]).toEqual([78, expect.stringContaining('REDIS_URL')])
  })

  slowIt('comes up without its Redis, alive and not ready', async () => {
    const port = await freePort()
    const redisPort = await freePort()
    const environment = {
      PORT: String(port),
      REDIS_URL: `redis://127.0.0.1:${redisPort}`,
      LOG_LEVEL: 'fatal',
      WARM_UP: 'false',
    }
    const { spawn } = await import('node:child_process')
    const child = spawn(process.execPath, [...COMPILES_LATE, 'dist/main.js'], {
      env: { PATH: process.env['PATH'], ...environment },
    })
    const url = `http://127.0.0.1:${port}`
    await eventually(() =>
      fetch(`${url}/healthz`).then(
        ({ status }) => status,
        () => 0,
      ),
    ).toBe(200)
    expect((await fetch(`${url}/readyz`)).status).toBe(503)
    const render = await post(`${url}/api/render/prompts/a.b`, {})
    expect([render.status, await render.json()]).toMatchObject([503, { error: { code: 'not_ready' } }])
    const ended = new Promise((done) => child.on('close', done))
    child.kill()
    expect(await ended).toBe(0)
  })
})

describe('the command line', () => {
  slowIt('prints help and version, and refuses what it does not know', async () => {
    expect((await runMain(['--help'])).stdout).toContain('Write prompts:')
    expect(await runMain(['--version'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    })
    expect(await runMain(['--nope'])).toMatchObject({ code: 2, stdout: '' })
  })

  it('renders and ends', async () => {
    const outcome = await runMain(['render', 'review.commit_message', '--vars', '-'], {}, '{"diff":"+x"}')
    expect([outcome.code, outcome.stderr]).toEqual([0, ''])
    expect(outcome.stdout).toContain('at most 72 characters')
  })

  slowIt('finds nothing wrong with the bundled catalog', async () => {
    expect(await runMain(['check', 'examples/catalog', '--strict'])).toMatchObject({ code: 0, stdout: '' })
  })
})
