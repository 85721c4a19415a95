import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const scratch = mkdtempSync(join(tmpdir(), 'aps-start-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

/** Read once the service is ready, so that nobody's first call waits for them. */
const AFTER_READY = [
  // By prom-client; by us where an SDK has registered.
  '@opentelemetry/api',
  'ajv',
  'gpt-tokenizer',
  'jsonrepair',
  'prom-client',
  're2js',
  'undici',
]
/** Read then where the catalog has a tool of the protocol that can be called. */
const FOR_TOOLS = ['@grpc/grpc-js', '@modelcontextprotocol/client', 'protobufjs']
/** Read when somebody asks for what they do, or never. */
const WHEN_ASKED_FOR = [
  '@fastify/ajv-compiler',
  '@fastify/swagger',
  '@fastify/swagger-ui',
  'bullmq',
  'ioredis',
  'typebox',
]

/** Each file is looked for, read and linked: hundreds of them were most of a start. */
const MOST_OWN_FILES = 32
/** All of them is parsed before it runs, also what nobody calls: a third of a millisecond for ten kilobytes. */
const MOST_OWN_BYTES = 1_390_000
/** The service is more than a megabyte. */
const MOST_BYTES_OF_A_SMALL_COMMAND = 200_000

/** The files that a process of Node.js reads, by V8's own account. */
async function filesRead(name: string, args: readonly string[]): Promise<readonly string[]> {
  // A folder of its own, for a second try too.
  const directory = mkdtempSync(join(scratch, name))
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { PATH: process.env['PATH'], NODE_V8_COVERAGE: directory },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code] = await once(child, 'exit')
  expect(code).toBe(0)
  const texts = readdirSync(directory).map((file) => readFileSync(join(directory, file), 'utf8'))
  return texts.flatMap((text) => [...text.matchAll(/"url":"([^"]*)"/g)]).map((match) => match[1] as string)
}

const WARM_UP = 'await app.warmUp(new AbortController().signal)'

/** The files that a service over the bundled catalog has read. */
async function serviceReads(name: string, run: string, settings: object = {}): Promise<readonly string[]> {
  const environment = JSON.stringify({ LOG_LEVEL: 'silent', ...settings })
  const script = `
    const { loadConfig, buildApp } = await import('./dist/bundle/index.js')
    const app = await buildApp(loadConfig({ environment: ${environment} }))
    await app.registry.whenReady()
    ${run}
    await app.close()`
  return filesRead(name, ['--input-type=module', '-e', script])
}

function packagesOf(files: readonly string[]): ReadonlySet<string> {
  return new Set(files.flatMap((file) => file.match(/\/node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1] ?? []))
}

/** Those of this package, and how large they are together. */
function ownFiles(files: readonly string[]): { readonly names: readonly string[]; readonly bytes: number } {
  const own = files
    .filter((file) => file.includes('/dist/'))
    .filter((file) => !file.includes('/node_modules/'))
  return {
    names: own.map((file) => file.replace(/.*\/dist\//, '')),
    bytes: own.reduce((bytes, file) => bytes + statSync(new URL(file)).size, 0),
  }
}

describe('a start', () => {
  it('reads what it needs and nothing else, nor in the background where it is told not to', {
    timeout: 180_000,
  }, async () => {
    const files = await serviceReads('ready', WARM_UP, { WARM_UP: 'false' })
    const read = packagesOf(files)
    expect(read).toContain('fastify')
    expect([...AFTER_READY, ...FOR_TOOLS, ...WHEN_ASKED_FOR].filter((name) => read.has(name))).toEqual([])
    const { names, bytes } = ownFiles(files)
    expect(names.length).toBeLessThan(MOST_OWN_FILES)
    expect(bytes).toBeLessThan(MOST_OWN_BYTES)
  })

  it('reads the rest in the background', { timeout: 180_000 }, async () => {
    const read = packagesOf(await serviceReads('warm', WARM_UP))
    expect(AFTER_READY.filter((name) => !read.has(name))).toEqual([])
    expect([...FOR_TOOLS, ...WHEN_ASKED_FOR].filter((name) => read.has(name))).toEqual([])
  })

  it('reads the libraries of protocols that tools speak, where their server is known', {
    timeout: 180_000,
  }, async () => {
    // Nobody is there: a library is read before it can connect.
    const settings = { TOOL_BASE_URL: 'http://127.0.0.1:9' }
    const read = packagesOf(await serviceReads('tools', WARM_UP, settings))
    expect(FOR_TOOLS.filter((name) => !read.has(name))).toEqual([])
  })

  it('reads the command that is asked for, and no other', { timeout: 180_000 }, async () => {
    const { names, bytes } = ownFiles(await filesRead('command', ['dist/main.js', 'key', '--help']))
    const commands = names.flatMap((name) => name.match(/^bundle\/(key|serve|task|check)\.js$/)?.[1] ?? [])
    expect(commands).toEqual(['key'])
    expect(bytes).toBeLessThan(MOST_BYTES_OF_A_SMALL_COMMAND)
  })
})

it('says once where it is, where a person reads the log', async () => {
  const child = spawn(process.execPath, ['dist/main.js', '--port', '0'], {
    cwd: root,
    env: { PATH: process.env['PATH'], LOG_FORMAT: 'text' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.setEncoding('utf8')
  for await (const piece of child.stdout) {
    said += piece
    if (said.includes('Model')) child.kill('SIGTERM')
  }
  expect(said).toMatch(/listening on http:\/\/127\.0\.0\.1:\d+\n/)
  expect(said.split('/docs')).toHaveLength(2)
})
