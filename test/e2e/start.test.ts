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
  'gpt-tokenizer',
  'jsonrepair',
  'prom-client',
  'protobufjs',
  're2js',
  'undici',
]
/** Read when somebody asks for what they do, or never. */
const WHEN_ASKED_FOR = [
  '@fastify/ajv-compiler',
  '@fastify/swagger-ui',
  '@opentelemetry/api',
  'ioredis',
  'typebox',
]

/** The packages that a service over the bundled catalog has read, by V8's own account. */
async function packagesRead(name: string, run: string): Promise<ReadonlySet<string>> {
  const directory = join(scratch, name)
  const script = `
    const [{ loadConfig }, { buildApp }] = await Promise.all([import('./dist/config.js'), import('./dist/app.js')])
    const app = await buildApp(loadConfig({ environment: { LOG_LEVEL: 'silent' } }))
    await app.registry.whenReady()
    ${run}
    await app.close()`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd: root,
    env: { PATH: process.env['PATH'], NODE_V8_COVERAGE: directory },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [code] = await once(child, 'exit')
  expect(code).toBe(0)
  const texts = readdirSync(directory).map((file) => readFileSync(join(directory, file), 'utf8'))
  const names = texts.flatMap((text) => [
    ...text.matchAll(/"url":"[^"]*\/node_modules\/((?:@[^/"]+\/)?[^/"]+)/g),
  ])
  return new Set(names.map((match) => match[1] as string))
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
})
