import { writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { examine } from '../../../src/cli/doctor/examine.js'
import type { Finding } from '../../../src/cli/doctor/finding.js'
import { createCatalogDirectory } from '../../support/catalog-directory.js'
import { freePort } from '../../support/free-port.js'
import { type RedisServer, startRedisServer } from '../../support/redis-server.js'
import { runLocalTurn as cli } from '../../support/run-cli.js'

const PATCHED_NODE = '26.12.1'
const STATE_RIGHTS =
  '~aps-state:* &aps-state:* -@all +eval +evalsha +time +hset +hget +get +set +pexpire +publish +subscribe +ping'

type Environment = Readonly<Record<string, string>>

async function findingsOf(environment: Environment, now: () => number = Date.now): Promise<Finding[]> {
  const findings: Finding[] = []
  for await (const finding of examine({ environment, node: PATCHED_NODE, now })) findings.push(finding)
  return findings
}

function of(findings: readonly Finding[], check: string): readonly Finding[] {
  return findings.filter((finding) => finding.check === check)
}

async function listen(listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener)
  const port = await freePort()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${port}`
}

function catalogOf(files: Readonly<Record<string, string>>): string {
  const catalog = createCatalogDirectory(files)
  onTestFinished(() => catalog.dispose())
  return catalog.path
}

function tool(url: string): string {
  return JSON.stringify({ description: 'x', type: 'restful', restful: { url, method: 'GET' } })
}

const PROMPT = { 'templates/a/hello.yaml': 'description: x\nuserPrompt: hello\n' }

describe('doctor', () => {
  let redis: RedisServer
  let admin: Redis
  beforeAll(async () => {
    redis = await startRedisServer()
    admin = new Redis(redis.url)
    await admin.set('aps:templates:a:hello', '{"userPrompt":"hello"}')
    await admin.call(
      'ACL',
      'SETUSER',
      'reader',
      'on',
      '>pw',
      '~aps:*',
      '+scan',
      '+mget',
      '+get',
      '+type',
      '+ping',
    )
    const all = ['~aps:*', '&*', '+scan', '+mget', '+get', '+type', '+ping', '+client|id', '+client|tracking']
    await admin.call('ACL', 'SETUSER', 'told', 'on', '>pw', ...all, '+subscribe')
    await admin.call('ACL', 'SETUSER', 'writer', 'on', '>pw', ...STATE_RIGHTS.split(' '))
  })
  afterAll(async () => {
    admin.disconnect()
    await redis.stop()
  })
  const urlFor = (user: string) => `redis://${user}:pw@127.0.0.1:${redis.port}`

  it('finds nothing to mend where everything is in order', async () => {
    const keys: (string | undefined)[] = []
    const upstream = await listen((request, response) => {
      keys.push(request.headers.authorization)
      response.end('{"object":"list","data":[]}')
    })
    const environment = {
      REDIS_URL: urlFor('told'),
      STATE_URL: redis.url,
      KEY_PREFIX: 'aps',
      API_KEYS: 'a-good-long-key',
      LLM_BASE_URL: `${upstream}/v1`,
      LLM_API_KEY: 'sk-right',
    }
    const findings = await findingsOf(environment)
    expect(findings.filter(({ status }) => status === 'fix')).toEqual([])
    expect(keys).toEqual(['Bearer sk-right'])
    expect(of(findings, 'catalog store')[0]?.message).toContain('changes by tracking')
    expect(of(findings, 'state')[0]).toMatchObject({ status: 'ok' })
    expect(of(findings, 'clock')[0]).toMatchObject({ status: 'ok' })
    expect(of(findings, 'upstream')[0]?.message).toContain('accepts its key')
    expect(JSON.stringify(findings)).not.toMatch(/sk-right|:pw@|a-good-long-key/)
  })

  it('is calm where a newcomer has only the examples of the package', async () => {
    const findings = await findingsOf({})
    expect(findings.filter(({ status }) => status === 'fix')).toEqual([])
    expect(of(findings, 'tools')).toMatchObject([
      {
        status: 'note',
        message: expect.stringMatching(/^\d+ tools of the bundled examples cannot be called/),
      },
    ])
    const dead = `http://127.0.0.1:${await freePort()}`
    expect(of(await findingsOf({ TOOL_BASE_URL: dead }), 'tools')).toContainEqual(
      expect.objectContaining({ status: 'fix', message: expect.stringContaining(dead) }),
    )
  })

  it('needs nothing fixed on a release of Node without patches, and says which ones have them', async () => {
    const findings: Finding[] = []
    const environment = { CATALOG_DIR: catalogOf(PROMPT) }
    for await (const finding of examine({
      environment,
      node: '20.20.2',
      now: () => Date.parse('2026-11-01'),
    }))
      findings.push(finding)
    expect(findings.filter(({ status }) => status === 'fix')).toEqual([])
    expect(of(findings, 'node')).toMatchObject([
      { status: 'note', message: expect.stringContaining('Node 20.20.2 has received no security patches') },
    ])
  })

  it('wants a folder fixed that has no documents, and names the one around it', async () => {
    const catalog = catalogOf(PROMPT)
    const [finding] = of(await findingsOf({ CATALOG_DIR: join(catalog, 'templates') }), 'catalog')
    expect(finding).toMatchObject({ status: 'fix', message: expect.stringMatching(/^1 error/) })
  })

  it('names a server of tools by what it speaks', async () => {
    const grpc = JSON.stringify({
      description: 'x',
      type: 'grpc',
      grpc: { url: `http://127.0.0.1:${await freePort()}`, method: 'a.B/c' },
    })
    const findings = await findingsOf({
      CATALOG_DIR: catalogOf({ 'tools/a/one.json': grpc }),
      TOOL_ALLOWED_HOSTS: '127.0.0.1:*',
    })
    expect(of(findings, 'tools')[0]?.message).toMatch(/^gRPC server .*127\.0\.0\.1:\d+ \(1 tool\): /)
  })

  it('takes a folder as a word', async () => {
    const folder = catalogOf(PROMPT)
    const { code, stdout } = await cli(['doctor', folder])
    expect([code, stdout]).toEqual([0, expect.stringContaining(`directory ${folder}`)])
  })

  it('notes limits that others make meaningless', async () => {
    const environment = { CATALOG_DIR: catalogOf(PROMPT) }
    expect(of(await findingsOf(environment), 'limits')).toMatchObject([{ status: 'ok' }])
    const limits = { TOOL_TIMEOUT_MS: '20000', TASK_TIMEOUT_MS: '30000' }
    const noted = of(await findingsOf({ ...environment, ...limits }), 'limits')
    expect(noted.map(({ status, message }) => [status, message.replace(/:.*/, '')])).toEqual([
      ['note', 'TOOL_TIMEOUT_MS (20000) is above RENDER_TIMEOUT_MS (500)'],
      ['note', 'AGENT_TOOL_TIMEOUT_MS (60000) is above TASK_TIMEOUT_MS (30000)'],
      ['note', 'LLM_TIMEOUT_MS (60000) is above TASK_TIMEOUT_MS (30000)'],
    ])
    expect(noted[0]?.advice).toBe('raise RENDER_TIMEOUT_MS, or lower TOOL_TIMEOUT_MS')
  })

  it('names missing rights of Redis, for notifications and for state', async () => {
    const findings = await findingsOf({ REDIS_URL: urlFor('reader'), KEY_PREFIX: 'aps' })
    expect(of(findings, 'catalog store')).toEqual([
      expect.objectContaining({ status: 'fix', advice: expect.stringContaining('+client|tracking') }),
    ])
    expect(of(findings, 'catalog store')[0]?.message).toContain('polling')
    expect(of(findings, 'state')[0]).toMatchObject({
      status: 'fix',
      message: expect.stringContaining('may not be written'),
    })
    expect(of(findings, 'clock')[0]).toMatchObject({ status: 'note' })
  })

  it('says that tasks may be queued, where the user has what is documented', async () => {
    await setUser(await documentedRule())
    const environment = { STATE_URL: urlFor('shell-tasks'), CATALOG_DIR: catalogOf(PROMPT) }
    expect(of(await findingsOf(environment), 'task queue')).toEqual([
      { check: 'task queue', status: 'ok', message: expect.stringContaining('{shenma-state:q}:*') },
    ])
    expect(await admin.keys('{shenma-state:q}*')).toEqual([])
  })

  it.each([
    { without: ['+bzpopmin'] },
    { without: ['+lpush', '+client|setname', '+evalsha'] },
    { without: ['~{shenma-state:q}:*'] },
    { without: ['~{shenma-state:q}:*', '+xtrim'] },
  ])('names the rules of ACL that the queue lacks: $without', async ({ without }) => {
    await setUser((await documentedRule()).filter((rule) => !without.includes(rule)))
    expect(await queueAdvice('shell-tasks')).toEqual(new Set(without))
  })

  it('names everything that the queue needs to a user who may do nothing, and nothing else', async () => {
    await admin.call('ACL', 'SETUSER', 'nobody', 'reset', 'on', '>pw', '-@all')
    const documented = (await documentedRule()).filter((rule) => /^[~+]/.test(rule))
    const ofState = ['~shenma-state:*', '+publish', '+subscribe', '+unsubscribe']
    expect(await queueAdvice('nobody')).toEqual(new Set(documented.filter((rule) => !ofState.includes(rule))))
  })

  async function documentedRule(): Promise<readonly string[]> {
    const text = await readFile(join(import.meta.dirname, '../../../docs/reference/redis.md'), 'utf8')
    return (/^ACL SETUSER shell-tasks on >secret (.*)$/m.exec(text)?.[1] ?? '').split(' ')
  }

  async function setUser(rules: readonly string[]): Promise<void> {
    await admin.call('ACL', 'SETUSER', 'shell-tasks', 'reset', 'on', '>pw', ...rules)
  }

  async function queueAdvice(user: string): Promise<ReadonlySet<string>> {
    const environment = { STATE_URL: urlFor(user), CATALOG_DIR: catalogOf(PROMPT) }
    const [finding] = of(await findingsOf(environment), 'task queue')
    expect(finding?.status).toBe('fix')
    const rules = new RegExp(`^ACL SETUSER ${user} (.*) \\(docs/reference/redis.md\\)$`).exec(
      finding?.advice ?? '',
    )?.[1]
    return new Set(rules?.split(' '))
  }

  it('warns of an eviction policy that drops sessions', async () => {
    await admin.config('SET', 'maxmemory-policy', 'allkeys-lru')
    onTestFinished(() => void admin.config('SET', 'maxmemory-policy', 'noeviction'))
    const findings = await findingsOf({
      STATE_URL: redis.url,
      KEY_PREFIX: 'aps',
      CATALOG_DIR: catalogOf(PROMPT),
    })
    expect(of(findings, 'state')[0]).toMatchObject({
      status: 'fix',
      message: expect.stringContaining('allkeys-lru'),
      advice: expect.stringContaining('noeviction'),
    })
    await admin.config('SET', 'maxmemory-policy', 'noeviction')
    const after = await findingsOf({
      STATE_URL: redis.url,
      KEY_PREFIX: 'aps',
      CATALOG_DIR: catalogOf(PROMPT),
    })
    expect(of(after, 'state')[0]).toMatchObject({ status: 'ok' })
  })

  it('says that a Redis is away, and goes on with the rest', async () => {
    const findings = await findingsOf({ REDIS_URL: `redis://127.0.0.1:${await freePort()}` })
    expect(of(findings, 'catalog store')[0]).toMatchObject({ status: 'fix' })
    expect(of(findings, 'state')[0]).toMatchObject({ status: 'fix' })
    expect(of(findings, 'upstream')).toHaveLength(1)
  })

  it.each([
    { status: 401, level: 'fix', says: 'does not accept its key' },
    { status: 404, level: 'note', says: 'its key was not checked' },
    { status: 500, level: 'fix', says: 'answered 500' },
    { status: 302, level: 'fix', says: 'answered 302' },
  ])('reads what an upstream answers: $status', async ({ status, level, says }) => {
    const upstream = await listen((_request, response) => response.writeHead(status).end('sk-wrong'))
    const environment = { LLM_BASE_URL: upstream, LLM_API_KEY: 'sk-wrong', CATALOG_DIR: catalogOf(PROMPT) }
    const [finding] = of(await findingsOf(environment), 'upstream')
    expect(finding).toMatchObject({ status: level, message: expect.stringContaining(says) })
    expect(JSON.stringify(finding)).not.toContain('sk-wrong')
  })

  it('says that an upstream is dead', async () => {
    const upstream = `http://127.0.0.1:${await freePort()}/v1`
    const findings = await findingsOf({ LLM_BASE_URL: upstream, CATALOG_DIR: catalogOf(PROMPT) })
    expect(of(findings, 'upstream')[0]).toMatchObject({
      status: 'fix',
      message: expect.stringMatching(/does not answer: .*ECONNREFUSED/),
    })
  })

  it('tries the upstreams of CONFIG_FILE with their own keys', async () => {
    const url = await listen((request, response) => {
      const isKnown = request.headers.authorization === 'Bearer right-key'
      response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' })
      response.end('{"object":"list","data":[]}')
    })
    const directory = catalogOf(PROMPT)
    const CONFIG_FILE = join(directory, 'config.yaml')
    const upstream = (key: string) => `{ baseUrl: "${url}/v1", apiKey: { env: ${key} } }`
    writeFileSync(CONFIG_FILE, `upstreams: { good: ${upstream('GOOD_KEY')}, bad: ${upstream('BAD_KEY')} }\n`)
    const keys = { GOOD_KEY: 'right-key', BAD_KEY: 'wrong-key-3f9c' }
    const findings = await findingsOf({ CATALOG_DIR: directory, CONFIG_FILE, ...keys })
    expect(of(findings, 'upstream')).toMatchObject([
      { status: 'ok', message: expect.stringMatching(/^good .* accepts its key$/) },
      {
        status: 'fix',
        message: expect.stringMatching(/^bad .* does not accept its key/),
        advice: 'set its apiKey',
      },
    ])
    expect(JSON.stringify(findings)).not.toMatch(/right-key|wrong-key/)
    const { code, stdout } = await cli(['doctor'], {
      CATALOG_DIR: directory,
      CONFIG_FILE,
      GOOD_KEY: 'right-key',
    })
    expect(code).toBe(78)
    expect(stdout).toContain('CONFIG_FILE /upstreams/bad/apiKey: BAD_KEY is not set')
  })

  it('connects to each server of tools once, asks nothing, and keeps to the policy', async () => {
    const asked: (string | undefined)[] = []
    const alive = await listen((request, response) => {
      asked.push(request.url)
      response.end()
    })
    const dead = `http://127.0.0.1:${await freePort()}`
    const catalog = catalogOf({
      'tools/good/one.json': tool(`${alive}/one/{id}`),
      'tools/good/two.json': tool(`${alive}/two`),
      'tools/dead/one.json': tool(`${dead}/x`),
      'tools/far/one.json': tool('http://elsewhere.example/x'),
    })
    const CONFIG_FILE = join(catalog, 'config.yaml')
    writeFileSync(CONFIG_FILE, `mcpServers: { gone: { url: "${dead}/mcp" } }`)
    const findings = await findingsOf({
      CATALOG_DIR: catalog,
      CONFIG_FILE,
      TOOL_ALLOWED_HOSTS: '127.0.0.1:*',
    })
    const found = of(findings, 'tools')
    const about = (text: string) => found.find(({ message }) => message.includes(text))
    expect(found).toHaveLength(4)
    expect(about(`${alive} (2 tools)`)).toMatchObject({ status: 'ok' })
    expect(about(`${dead} (1 tool)`)?.message).toContain('ECONNREFUSED')
    expect(about('elsewhere.example')?.advice).toContain('TOOL_ALLOWED_HOSTS')
    expect(about('MCP server gone')).toMatchObject({ status: 'fix' })
    expect(of(findings, 'tools').filter(({ status }) => status === 'fix')).toHaveLength(3)
    expect(asked).toEqual([])
  })

  it('compares the clock with what servers say', async () => {
    const upstream = await listen((_request, response) => response.end('{}'))
    const late = () => Date.now() - 60_000
    const findings = await findingsOf({ LLM_BASE_URL: upstream, CATALOG_DIR: catalogOf(PROMPT) }, late)
    expect(of(findings, 'clock')[0]).toMatchObject({
      status: 'fix',
      message: expect.stringMatching(/^(59|60|61)\.\d s from upstream default$/),
    })
  })

  it('counts what is wrong in the catalog, and names settings that are probably mistakes', async () => {
    const catalog = catalogOf({ 'templates/a/b.yaml': 'userPrompt: "{{if"\n' })
    const findings = await findingsOf({ CATALOG_DIR: catalog, LOGLEVEL: 'debug' })
    expect(of(findings, 'catalog')[0]).toMatchObject({ status: 'fix', message: '1 error, 0 warnings' })
    expect(of(findings, 'configuration')[0]).toMatchObject({
      status: 'fix',
      message: 'LOGLEVEL is not a setting, did you mean LOG_LEVEL?',
    })
  })

  it('ends with 1 for what is to be mended, and prints lines for people and for programs', async () => {
    const environment = { CATALOG_DIR: catalogOf({ 'templates/a/b.yaml': 'userPrompt: "{{if"\n' }) }
    const text = await cli(['doctor'], environment)
    const json = await cli(['doctor', '--json'], environment)
    expect(text.code).toBe(1)
    expect(text.stdout).toMatch(/^FIX {3}catalog {8}1 error, 0 warnings\n +→ ai-prompt-shell check/m)
    const lines = json.stdout
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line))
    expect(lines).toContainEqual({
      check: 'catalog',
      status: 'fix',
      message: '1 error, 0 warnings',
      advice: expect.stringContaining('check'),
    })
  })

  it('ends with 78 for a configuration that cannot serve', async () => {
    const wrong = await cli(['doctor', '--json'], { PORT: 'x', LLM_BASEURL: 'y' })
    expect(wrong.code).toBe(78)
    expect(wrong.stdout.trim().split('\n')).toHaveLength(2)
    const open = await cli(['doctor'], { HOST: '0.0.0.0', CATALOG_DIR: catalogOf(PROMPT) })
    expect(open.code).toBe(78)
    expect(open.stdout).toContain('set API_KEYS or KEYS_FILE')
  })
})
