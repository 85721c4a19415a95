import { once } from 'node:events'
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import { buildApp } from '../../../src/app.js'
import { loadConfig } from '../../../src/config.js'
import { eventually } from '../../support/eventually.js'
import { createKeysFile, type TestKeysFile, textOf } from '../../support/keys-file.js'
import { type LogLine, recordingLogger } from '../../support/recording-logger.js'
import { startTestApp, type TestApp } from '../../support/test-app.js'

const ANN = { name: 'ann', key: 'key-of-ann', scopes: ['read'] }
const BOB = { name: 'bob', key: 'key-of-bob', scopes: ['read', 'render'] }

let file: TestKeysFile
let service: TestApp
let lines: () => readonly LogLine[]

async function start(keys = [ANN]): Promise<void> {
  file = createKeysFile(keys)
  const { logger, lines: all } = recordingLogger()
  lines = () => all().filter(({ msg }) => String(msg).includes('keys'))
  service = await startTestApp({ 'environs/city.json': '"Ulm"' }, { KEYS_FILE: file.path }, { logger })
}

afterEach(async () => {
  await service.close()
  file.dispose()
})

async function statusFor(key: string, url = '/api/prompts'): Promise<number> {
  const response = await service.app.server.inject({ url, headers: { 'x-api-key': key } })
  return response.statusCode
}

async function keysStatus(key = ANN.key) {
  const response = await service.app.server.inject({ url: '/api/status', headers: { 'x-api-key': key } })
  return response.json().keys
}

it('takes what a new file says: more, fewer and other keys', async () => {
  await start()
  expect([await statusFor(ANN.key), await statusFor(BOB.key)]).toEqual([200, 401])
  file.write([ANN, BOB])
  await eventually(() => statusFor(BOB.key)).toBe(200)
  file.write([{ ...ANN, scopes: ['render'] }])
  await eventually(() => statusFor(BOB.key)).toBe(401)
  expect(await statusFor(ANN.key)).toBe(403)
  expect(lines().map(({ keys }) => keys)).toEqual([2, 1])
})

it.each([
  ['a broken file', '{"keys": [', /is not JSON/],
  ['a file of another form', '{"keys": [{"name": 5}]}', /must have the property/],
  ['two keys of one name', textOf([ANN, { ...ANN, key: 'another-key' }]), /two keys are named/],
  ['an empty file', '', /must be an object/],
])('keeps the last good keys beside %s', async (_name, text, problem) => {
  await start()
  file.writeText(text)
  await eventually(async () => (await keysStatus()).problem).toMatch(problem)
  expect(await statusFor(ANN.key)).toBe(200)
  const { payload: metrics } = await service.app.server.inject('/metrics')
  expect(metrics).toMatch(/^api_keys_file_broken 1$/m)
  file.write([ANN, BOB])
  await eventually(() => statusFor(BOB.key)).toBe(200)
  expect((await keysStatus()).problem).toBeNull()
})

it('keeps the last good keys while the file is away', async () => {
  await start()
  rmSync(file.path)
  await eventually(async () => (await keysStatus()).problem).toMatch(/ENOENT/)
  expect(await statusFor(ANN.key)).toBe(200)
  file.write([ANN])
  await eventually(async () => (await keysStatus()).problem).toBeNull()
})

/** A file that rests as long as this is no longer being written, as far as anybody can tell. */
const REST_MS = 40

/**
 * Writes a file of keys entry by entry, five times; YAML that ends at an entry is good YAML, with fewer keys.
 *
 * @returns whether it did so without a rest: a busy machine may hold the writer up
 */
async function writeByEntries(keys: readonly (typeof ANN)[]): Promise<boolean> {
  const entries = (JSON.parse(textOf(keys)).keys as object[]).map((each) => `- ${JSON.stringify(each)}\n`)
  let longest = 0
  for (let round = 0; round < 5; round += 1) {
    for (let count = 0; count <= entries.length; count += 1) {
      const writtenAt = performance.now()
      // No two texts are the same, or two looks at two rounds could take one for calm.
      file.writeText(`# ${round}\nkeys:\n${entries.slice(0, count).join('')}`)
      await sleep(10)
      longest = Math.max(longest, performance.now() - writtenAt)
    }
  }
  return longest < REST_MS
}

it('never takes a file that is being written', async () => {
  await start([ANN, BOB])
  for (let attempt = 0; ; attempt += 1) {
    const before = lines().length
    const isSteady = await writeByEntries([ANN, BOB])
    const last = `key-of-eve-${attempt}`
    file.write([ANN, BOB, { ...BOB, name: 'eve', key: last }])
    await eventually(() => statusFor(last)).toBe(200)
    if (!isSteady) continue
    const taken = lines().slice(before)
    expect(taken.filter(({ keys }) => keys === 1)).toEqual([])
    break
  }
})

it('follows a mounted directory whose link changes', async () => {
  file = createKeysFile([])
  const mount = join(dirname(file.path), 'mount')
  const put = (version: string, keys: readonly (typeof ANN)[]) => {
    mkdirSync(join(mount, version), { recursive: true })
    writeFileSync(join(mount, version, 'keys.json'), textOf(keys))
    symlinkSync(version, join(mount, '..data_new'))
    renameSync(join(mount, '..data_new'), join(mount, '..data'))
  }
  put('..v1', [ANN])
  symlinkSync('..data/keys.json', join(mount, 'keys.json'))
  service = await startTestApp({}, { KEYS_FILE: join(mount, 'keys.json') })
  expect([await statusFor(ANN.key), await statusFor(BOB.key)]).toEqual([200, 401])
  put('..v2', [BOB])
  await eventually(() => statusFor(BOB.key)).toBe(200)
  expect(await statusFor(ANN.key)).toBe(401)
})

it('ends the event stream of a key that is taken away, and shows it nothing more', async () => {
  await start([ANN, BOB])
  await service.app.server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = service.app.server.server.address() as AddressInfo
  const follow = async (key: string) => {
    const request = get({ port, path: '/api/events', headers: { 'x-api-key': key }, agent: false })
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    const reader = { text: '', ended: false, stop: () => request.destroy() }
    response.setEncoding('utf8').on('data', (text) => {
      reader.text += text
    })
    response
      .on('error', () => {})
      .on('close', () => {
        reader.ended = true
      })
    return reader
  }
  const [ann, bob] = [await follow(ANN.key), await follow(BOB.key)]
  file.write([BOB])
  await eventually(() => statusFor(ANN.key)).toBe(401)
  service.catalog.write('environs/secret.json', '"new"')
  await eventually(() => bob.text).toContain('secret')
  await eventually(() => ann.ended).toBe(true)
  expect(ann.text).not.toContain('secret')
  bob.stop()
})

it.each([
  ['a file that is not there', '/nowhere/keys.yaml', /KEYS_FILE: cannot read/],
  ['a directory', '/tmp', /KEYS_FILE: cannot read/],
])('does not start with %s', async (_name, path, expected) => {
  await start()
  await expect(buildApp(loadConfig({ environment: { KEYS_FILE: path } }))).rejects.toThrow(expected)
})

it('holds ten thousand keys', async () => {
  const many = Array.from({ length: 9_999 }, (_, index) => ({
    ...ANN,
    name: `n${index}`,
    key: `key-${index}`,
  }))
  await start([...many, BOB])
  expect([await statusFor('key-9998'), await statusFor('key-10000')]).toEqual([200, 401])
})
