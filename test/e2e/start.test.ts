import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const scratch = mkdtempSync(join(tmpdir(), 'aps-start-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

/** Read once the service is ready, so that nobody's first call waits for them. */
const AFTER_READY = [
  '@grpc/grpc-js',
  '@modelcontextprotocol/client',
  // By prom-client; by us where an SDK has registered.
  '@opentelemetry/api',
  'gpt-tokenizer',
  'jsonrepair',
  'prom-client',
  'protobufjs',
  'undici',
]
/** Read when somebody asks for what they do, or never. */
const WHEN_ASKED_FOR = ['@fastify/ajv-compiler', '@fastify/swagger-ui', 'ioredis', 'typebox']

/** The files that a process of Node.js reads, by V8's own account. */
async function filesRead(name: string, args: readonly string[]): Promise<readonly string[]> {
  const directory = join(scratch, name)
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

/** The packages that a service over the bundled catalog has read. */
async function packagesRead(name: string, run: string): Promise<ReadonlySet<string>> {
  const script = `
    const [{ loadConfig }, { buildApp }] = await Promise.all([import('./dist/config.js'), import('./dist/app.js')])
    const app = await buildApp(loadConfig({ environment: { LOG_LEVEL: 'silent' } }))
    await app.registry.whenReady()
    ${run}
    await app.close()`
  const files = await filesRead(name, ['--input-type=module', '-e', script])
  return new Set(files.flatMap((file) => file.match(/\/node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1] ?? []))
}

describe('a start', () => {
  it('reads what it needs, and nothing else', { timeout: 60_000 }, async () => {
    const read = await packagesRead('ready', '')
    expect(read).toContain('fastify')
    expect([...AFTER_READY, ...WHEN_ASKED_FOR].filter((name) => read.has(name))).toEqual([])
  })

  it('reads the rest in the background', { timeout: 60_000 }, async () => {
    const read = await packagesRead('warm', 'await app.warmUp(new AbortController().signal)')
    expect(AFTER_READY.filter((name) => !read.has(name))).toEqual([])
    expect(WHEN_ASKED_FOR.filter((name) => read.has(name))).toEqual([])
  })

  it('reads the command that is asked for, and no other', { timeout: 60_000 }, async () => {
    const read = await filesRead('command', ['dist/main.js', 'key', '--help'])
    const files = read.flatMap((file) => file.match(/\/dist\/(.*)/)?.[1] ?? [])
    expect(files).toContain('cli/key.js')
    expect(files.filter((file) => ['cli/serve.js', 'cli/task.js', 'app.js'].includes(file))).toEqual([])
  })
})
