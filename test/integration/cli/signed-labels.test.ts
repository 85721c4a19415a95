import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jsonObject } from '../../../src/util/json/json-fields.js'
import { readRelease, writeRelease } from '../../../src/versions/release-document.js'
import { createCatalogDirectory } from '../../support/catalog-directory.js'
import { type RedisServer, startRedisServer } from '../../support/redis-server.js'
import { type CliOutcome, runLocalTurn } from '../../support/run-cli.js'
import { startTestApp } from '../../support/test-app.js'

const ID = 'a.b'
const OTHER = 'a.c'
const RELEASE = 'shenma:releases:a:b:production'
const PROPOSAL = 'shenma:proposals:a:b:production'
const scratch = mkdtempSync(join(tmpdir(), 'ai-prompt-shell-signed-'))
const keyFile = (name: string) => join(scratch, `${name}.pem`)
const config = join(scratch, 'config.yaml')

let server: RedisServer
let redis: Redis
const cli = (...args: readonly string[]): Promise<CliOutcome> =>
  runLocalTurn([...args, '--catalog', server.url], { USER: 'ann', CONFIG_FILE: config })

beforeAll(async () => {
  server = await startRedisServer()
  redis = new Redis(server.url)
  const lines = await Promise.all(
    ['ann', 'ben', 'eve'].map((name) => runLocalTurn(['sign', '--new-key', keyFile(name)])),
  )
  const [ann, ben] = lines.map(({ stdout }) => stdout.trim())
  const gate = { required: 2, audience: 'test', signers: { ann: [ann], ben: [ben] } }
  const tested = { required: 1, audience: 'test', signers: { ann: [ann] }, tests: 'required' }
  writeFileSync(config, JSON.stringify({ labels: { production: gate, tested } }))
  const catalog = createCatalogDirectory({ 'templates/a/b.json': { userPrompt: 'one' } })
  await runLocalTurn(['push', catalog.path, server.url])
  catalog.dispose()
  await cli('publish', ID)
})
afterAll(async () => {
  redis.disconnect()
  await server.stop()
  rmSync(scratch, { recursive: true })
})

const sign = (name: string, ...more: readonly string[]) =>
  cli('sign', ID, 'production', '--key', keyFile(name), ...more)

describe('a label with a gate', () => {
  it('has keys that only their owner reads, and none is overwritten', async () => {
    expect(statSync(keyFile('ann')).mode & 0o777).toBe(0o600)
    expect(readFileSync(keyFile('ann'), 'utf8')).toContain('PRIVATE KEY')
    expect(await runLocalTurn(['sign', '--new-key', keyFile('ann')])).toMatchObject({ code: 2 })
  })

  it('moves when enough people signed, and not before', async () => {
    expect((await sign('ann')).stderr).toContain('Nothing is proposed for a.b@production')
    const proposed = await cli('promote', ID, '1', '--to', 'production')
    expect(proposed.stdout).toContain('it waits for 2 signatures')
    expect(await redis.exists(RELEASE)).toBe(0)

    expect(await sign('eve')).toMatchObject({ code: 2, stderr: /its signers are ann, ben/ })
    expect((await sign('ann', '--dry-run')).stdout).toContain('signed by ann; 1 more needed')
    expect((await sign('ann')).stdout).toContain('signed by ann; 1 more needed')
    expect((await sign('ann')).stdout).toContain('signed by ann; 1 more needed')
    expect(await redis.exists(RELEASE)).toBe(0)
    expect((await cli('sign', '--all', '--key', keyFile('ben'))).stdout).toContain('it is the release now')
    expect(await redis.exists(PROPOSAL)).toBe(0)
    expect(JSON.parse((await redis.get(RELEASE)) ?? '')).toMatchObject({ version: 1, sequence: 1 })
    expect((await cli('sign', '--all', '--key', keyFile('ben'))).stdout).toContain(
      'nothing waits for this key',
    )
    expect((await cli('verify')).code).toBe(0)
  })

  it('is served as it was signed, whatever is written to Redis', async () => {
    const app = await startTestApp({}, { REDIS_URL: server.url, CONFIG_FILE: config })
    let marks = 0
    /** Waits until the service has seen everything that was written. */
    const seen = async () => {
      marks += 1
      await redis.set('shenma:environs:mark', String(marks))
      const mark = async () => (await app.get('/api/environs/mark')).body.value
      await expect.poll(mark, { timeout: 10_000 }).toBe(marks)
    }
    const served = async () => {
      await seen()
      const { status, body } = await app.post(`/api/render/prompts/${ID}?label=production`, {})
      return `${status} ${body.rendered_prompt ?? body.error?.code}`
    }
    try {
      expect(await served()).toBe('200 one')
      const { entries } = (await app.get(`/api/prompts/${ID}/history`)).body
      expect(entries).toMatchObject([
        { action: 'promote', label: 'production', sequence: 1, by: 'ann' },
        { action: 'publish', targets: [{ version: 1 }], by: 'ann' },
      ])
      await redis.set('shenma:templates:a:b', '{"userPrompt":"two"}')
      await cli('publish', ID)
      const signed = (await redis.get(RELEASE)) ?? ''
      const forged = { ...readRelease(JSON.parse(signed)), sequence: 9 }
      const digest = JSON.parse((await redis.get('shenma:templates:a:b@2')) ?? '')['x-version'].digest
      const other = writeRelease({ ...forged, targets: [{ version: 2, digest, share: 100 }] })
      for (const attack of [
        JSON.stringify(other),
        '{}',
        JSON.stringify({ ...jsonObject(other), signatures: [] }),
      ]) {
        await redis.set(RELEASE, attack)
        expect(await served()).toBe('200 one')
      }
      await redis.set(RELEASE, signed)

      expect((await cli('promote', ID, '2', '--to', 'production')).stdout).toContain(
        'it waits for 2 signatures',
      )
      await sign('ann')
      expect(await served()).toBe('200 one')
      await sign('ben')
      expect(await served()).toBe('200 two')
      await cli('rollback', ID)
      await sign('ann')
      await sign('ben')
      expect(await served()).toBe('200 one')
      expect((await app.get(`/api/prompts/${ID}/history`)).body.entries[0]).toMatchObject({
        action: 'rollback',
        label: 'production',
      })
      await cli('promote', ID, '2', '--to', 'production')
      await sign('ann')
      await sign('ben')
      expect(await served()).toBe('200 two')
      // A release that was signed once is not served again.
      await redis.set(RELEASE, signed)
      expect(await served()).toBe('200 two')
    } finally {
      await app.close()
    }
  })
})

describe('a label whose tests are required', () => {
  it('moves with tests that passed alone, and goes back without', async () => {
    await redis.set('shenma:templates:a:c', '{"userPrompt":"one"}')
    await cli('publish', OTHER)
    const sign = () => cli('sign', OTHER, 'tested', '--key', keyFile('ann'))
    const promote = (version: string, ...more: readonly string[]) =>
      cli('promote', OTHER, version, '--to', 'tested', ...more)
    const tests = join(scratch, 'a.test.yaml')
    writeFileSync(
      tests,
      JSON.stringify({
        prompt: OTHER,
        tests: [{ name: 'short', assert: [{ type: 'word-count', value: 1 }] }],
      }),
    )
    expect(await promote('1')).toMatchObject({ code: 2, stderr: /needs tests that pass, and a.c has none/ })
    expect((await promote('1', '--tests', tests)).stdout).toContain('1 test passed')
    expect((await sign()).stdout).toMatch(/1 test passed\n\nsigned by ann: it is the release now/)
    await redis.set('shenma:templates:a:c', '{"userPrompt":"two words"}')
    await cli('publish', OTHER)
    const longer = join(scratch, 'b.test.yaml')
    writeFileSync(
      longer,
      JSON.stringify({ prompt: OTHER, tests: [{ assert: [{ type: 'word-count', value: 2 }] }] }),
    )
    expect((await promote('2', '--tests', longer)).stdout).toContain('1 of 1 render differ')
    expect((await cli('sign', OTHER, 'tested', '--key', keyFile('ann'), '--dry-run')).stdout).toContain(
      '\nimpact: 1 of 1 render differ\n',
    )
    expect(await promote('2', '--tests', tests, '--force')).toMatchObject({
      code: 2,
      stderr: /has failures: 1 of 1 test failed/,
    })
    expect((await cli('rollback', OTHER, '--label', 'tested', '--to', '2')).code).toBe(0)
    expect((await sign()).stdout).toContain('it is the release now')
  })
})
