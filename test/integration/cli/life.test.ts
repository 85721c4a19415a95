import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { type JsonObject, parseJson } from '../../../src/util/json/json.js'
import { makeVersion, readVersion } from '../../../src/versions/version-document.js'
import { createCatalogDirectory } from '../../support/catalog-directory.js'
import { type RedisServer, startRedisServer } from '../../support/redis-server.js'
import { runLocalTurn } from '../../support/run-cli.js'

const DOCUMENTS = {
  'templates/review/code_review.yaml': 'userPrompt: "Review: {{ template \\"review.rules\\" . }}"\n',
  'templates/review/rules.json': {
    userPrompt: 'No eval. {{ template "style.tone" }} {{ template "review.loop" }}',
  },
  'templates/review/loop.json': { userPrompt: '{{ if .x }}{{ template "review.rules" . }}{{ end }}' },
  'extensions/style.json': {
    name: 'style',
    publisher: 'us',
    displayName: 'Style',
    version: '1.0.0',
    extensionType: 'prompt',
    license: 'MIT',
    engines: { name: 'ai-prompt-shell', version: '>=0.1.0' },
    contributes: { prompts: [{ name: 'tone', userPrompt: 'Be kind.' }] },
  },
  'templates/review/plain.json': { userPrompt: 'plain' },
  'templates/review/broken.json': { userPrompt: '{{ if }}' },
  'agents/helper.json': { instructions: 'Help. {{ template "style.tone" }}', prompt: 'review.plain' },
}

let server: RedisServer
beforeAll(async () => {
  server = await startRedisServer()
})
afterAll(() => server.stop())

interface World {
  readonly where: string
  readonly cli: (...args: readonly string[]) => ReturnType<typeof runLocalTurn>
  /** A document by its key without the prefix. */
  read(key: string): Promise<JsonObject | undefined>
  /** As it is stored. */
  text(key: string): Promise<string | undefined>
  write(key: string, value: object): Promise<void>
  readonly keepsHistory: boolean
}

async function inDirectory(): Promise<World> {
  const catalog = createCatalogDirectory(DOCUMENTS)
  onTestFinished(() => catalog.dispose())
  const shown = (key: string) => join(catalog.path, key.replaceAll(':', '/'))
  return {
    where: catalog.path,
    cli: (...args) => runLocalTurn([...args, '--catalog', catalog.path], { USER: 'ann' }),
    async read(key) {
      const file = fileOf(shown(key))
      return file === undefined ? undefined : parse(readFileSync(file, 'utf8'))
    },
    async text(key) {
      const file = fileOf(shown(key))
      return file === undefined ? undefined : readFileSync(file, 'utf8')
    },
    async write(key, value) {
      const file = fileOf(shown(key)) ?? `${shown(key)}.json`
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, JSON.stringify(value))
    },
    keepsHistory: false,
  }
}

function fileOf(stem: string): string | undefined {
  const folder = join(stem, '..')
  if (!existsSync(folder)) return undefined
  const names = readdirSync(folder, { withFileTypes: true }).map(({ name }) => join(folder, name))
  return names.find((name) => ['.json', '.yaml', '.yml'].some((extension) => name === stem + extension))
}

let prefixes = 0

async function inRedis(): Promise<World> {
  const catalog = createCatalogDirectory(DOCUMENTS)
  prefixes += 1
  const KEY_PREFIX = `p${prefixes}`
  const pushed = await runLocalTurn(['push', catalog.path, server.url, '--force'], { KEY_PREFIX })
  expect(pushed).toMatchObject({ code: 0 })
  catalog.dispose()
  const redis = new Redis(server.url)
  onTestFinished(() => redis.disconnect())
  return {
    where: server.url,
    cli: (...args) => runLocalTurn([...args, '--catalog', server.url], { USER: 'ann', KEY_PREFIX }),
    async read(key) {
      const text = await redis.get(`${KEY_PREFIX}:${key}`)
      return text === null ? undefined : (parseJson(text) as JsonObject)
    },
    text: async (key) => (await redis.get(`${KEY_PREFIX}:${key}`)) ?? undefined,
    async write(key, value) {
      await redis.set(`${KEY_PREFIX}:${key}`, JSON.stringify(value))
    },
    keepsHistory: true,
  }
}

const HEAD = 'templates:review:code_review'
const ID = 'review.code_review'
const PRODUCTION = 'releases:review:code_review:production'

describe.each([
  ['a directory', inDirectory],
  ['Redis', inRedis],
] as const)('versions and labels in %s', (_name, open) => {
  it('live from a first version to a rollback', async () => {
    const { cli, read, write, keepsHistory } = await open()
    const first = await cli('publish', ID, '-m', 'first')
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(first.stdout).toContain(`${ID}@1  published`)
    expect(first.stdout).toContain('carries review.loop, review.rules, style.tone')
    const version = readVersion((await read(`${HEAD}@1`)) ?? {}, { kind: 'templates', id: ID, number: 1 })
    expect(version).toMatchObject({ author: 'ann', note: 'first' })
    expect(version.partials.get('style.tone')).toEqual({
      from: 'extensions:style',
      document: { name: 'tone', userPrompt: 'Be kind.' },
    })
    expect((await cli('publish', ID)).stdout).toContain(`${ID}@1  is unchanged`)

    expect((await cli('promote', ID, '1', '--to', 'production')).stdout).toContain('before  nothing')
    await write('templates:review:rules', { userPrompt: 'No eval, ever.' })
    const second = await cli('publish', ID, '--json')
    expect(JSON.parse(second.stdout)).toMatchObject({ version: 2, isNew: true, carries: ['review.rules'] })

    const split = await cli(
      'promote',
      `${ID}@2`,
      '--to',
      'production',
      '--share',
      '5',
      '--sticky',
      'variables.user',
    )
    expect(split.stdout).toMatch(/before +@1 +100 % +#+\n +after +@1 +95 % +#+\n +@2 +5 % +##\n/)
    expect(await read(PRODUCTION)).toMatchObject({
      split: [
        { version: 1, share: 95 },
        { version: 2, share: 5 },
      ],
      sticky: 'variables.user',
      sequence: 2,
      previous: { version: 1 },
    })
    await cli('promote', ID, '2', '--to', 'production')
    expect(await read(PRODUCTION)).toMatchObject({ version: 2, sequence: 3, previous: { version: 1 } })
    expect((await cli('promote', ID, '2', '--to', 'production')).stdout).toBe(
      `${ID}@production  points at 2 already: nothing was written\n`,
    )

    expect((await cli('rollback', ID, '-m', 'wrong tone')).code).toBe(0)
    expect(await read(PRODUCTION)).toMatchObject({ version: 1, sequence: 4, note: 'wrong tone', by: 'ann' })
    const again = await cli('rollback', ID, '--to', '1', '--json')
    expect(JSON.parse(again.stdout)).toMatchObject({ unchanged: true, action: 'rollback' })
    expect(await read(PRODUCTION)).toMatchObject({ sequence: 4, note: 'wrong tone' })
    const listed = (await cli('versions', ID)).stdout.split('\n')
    expect(listed[0]).toMatch(/^@2 +[0-9a-f]{12} {2}/)
    expect(listed[1]).toMatch(/first {2}\[production\]$/)
    const told = await cli('history', ID)
    if (keepsHistory)
      expect(told.stdout.split('\n').map((line) => line.slice(18, 26).trim())).toEqual([
        'rollback',
        'promote',
        'promote',
        'publish',
        'promote',
        'publish',
        '',
      ])
    else expect(told.stdout).toContain('git log -- templates releases')
    expect(await cli('verify')).toMatchObject({ code: 0, stdout: '1 prompt: 0 problems\n' })
  })

  it('are compared line by line, with what is included', async () => {
    const { cli, write } = await open()
    await cli('publish', ID)
    expect((await cli('diff', ID)).stdout).toBe(`${ID}: 1 and head are the same\n`)
    await write('templates:review:rules', { userPrompt: 'No eval, ever.' })
    const shown = (await cli('diff', ID)).stdout
    expect(shown).toContain('~ review.rules')
    expect(shown).toContain('+ userPrompt: No eval, ever.')
    expect(shown).toContain('- style.tone')
    const rendered = (await cli('diff', ID, '1', 'head', '-v', 'x=1')).stdout
    expect(rendered).toContain('- Review: No eval. Be kind. \n')
    expect(rendered).toContain('+ Review: No eval, ever.')
    const words = (await cli('diff', ID, '1', 'head', '-v', 'x=1', '--words')).stdout
    expect(words).toContain('Review: No eval[-. Be-]{+,+} [-kind-]{+ever+}.[- -]')
    expect(await cli('diff', ID, 'staging')).toMatchObject({
      code: 1,
      stderr: /has no label staging: it has none/,
    })
    expect(await cli('diff', ID, '7')).toMatchObject({ code: 1, stderr: /has no version 7; it has 1\n/ })
  })

  it('are refused and explained where something is wrong', async () => {
    const { cli, read } = await open()
    const refusals: readonly (readonly [readonly string[], number, RegExp])[] = [
      [['publish', 'review.broken'], 1, /review.broken/],
      [['publish', 'review.code_reviw'], 1, /Did you mean "review.code_review"/],
      [['publish'], 2, /name what to publish/],
      [['publish', 'review.plain', 'zzz'], 1, /"zzz": the catalog has .*review.code_review, .*style.tone/],
      [['publish', 'review.plain', '--label', 'Staging'], 2, /--label must name a label/],
      [['publish', `${ID}@1`], 2, /names a version or a label: give the id alone, review.code_review/],
      [['promote', 'zzz', '1', '--to', 'x'], 1, /"zzz": the catalog has .*review.code_review, .*style.tone/],
      [['promote', 'zzz', '1', '--to', 'x', '--agent'], 1, /"zzz": the catalog has helper/],
      [['promote', ID, '1', '--to', 'x', '--expires', 'soon'], 2, /--expires must be a time in UTC/],
      [
        ['promote', ID, '1', '--to', 'x', '--expires', '2020-01-31'],
        2,
        /--expires 2020-01-31 is in the past/,
      ],
      [['promote', ID, '1', '--to', 'production'], 1, /has no version 1; it has none: publish it first/],
      [['promote', 'review.code_reviw', '1', '--to', 'x'], 1, /Did you mean "review.code_review"/],
      [['promote', ID, '1', '--to', '8'], 2, /--to must name a label/],
      [['promote', ID, 'Staging', '--to', 'production'], 2, /name a version/],
      [['rollback', ID], 1, /has no label production/],
      [['label', 'rm', ID, 'production'], 1, /has no label production: it has none/],
    ]
    for (const [args, code, message] of refusals) {
      const outcome = await cli(...args)
      expect([args, outcome.code]).toEqual([args, code])
      expect(outcome.stderr).toMatch(message)
    }
    expect(await read('templates:review:broken@1')).toBeUndefined()
    await cli('publish', ID)
    expect((await cli('promote', ID, '1', '--to', 'x', '--share', '5')).stderr).toMatch(
      /points at no other version/,
    )
    expect((await cli('promote', ID, 'stagin', '--to', 'x')).stderr).toMatch(
      /has no label stagin: it has none/,
    )
    expect(await read('templates:review:plain@1')).toBeUndefined()
    await cli('promote', ID, '1', '--to', 'staging')
    const commands = [
      ['promote', ID, 'stagin', '--to', 'x'],
      ['rollback', ID, '--label', 'stagin'],
      ['diff', ID, 'stagin'],
      ['label', 'rm', ID, 'stagin'],
    ]
    for (const args of commands)
      expect([args, await cli(...args)]).toEqual([
        args,
        {
          ...{ code: 1, stdout: '' },
          stderr: expect.stringContaining(
            `${ID} has no label stagin: it has staging. Did you mean "staging"?\n`,
          ),
        },
      ])
    expect((await cli('promote', ID, '2', '--to', 'x')).stderr).toContain('has no version 2; it has 1\n')
  })

  it('get numbers of their own when several publish at once', async () => {
    const { cli, read, write } = await open()
    await cli('publish', 'review.plain')
    await write('templates:review:plain', { userPrompt: 'other' })
    const all = await Promise.all([1, 2, 3, 4].map(() => cli('publish', 'review.plain', '--json')))
    expect(all.map(({ code }) => code)).toEqual([0, 0, 0, 0])
    const numbers = all.map(({ stdout }) => JSON.parse(stdout).version).sort()
    for (const number of numbers) expect(await read(`templates:review:plain@${number}`)).toBeDefined()
    const made = all.filter(({ stdout }) => JSON.parse(stdout).isNew)
    expect(new Set(made.map(({ stdout }) => JSON.parse(stdout).version)).size).toBe(made.length)
    expect((await cli('verify', 'review.plain')).code).toBe(0)
  })

  it('write nothing in a dry run', async () => {
    const { cli, read } = await open()
    expect((await cli('publish', ID, '--dry-run')).stdout).toContain('would be published')
    expect(await read(`${HEAD}@1`)).toBeUndefined()
    await cli('publish', ID)
    expect((await cli('promote', ID, '1', '--to', 'production', '--dry-run')).stdout).toContain(
      'nothing was written',
    )
    const both = await cli('publish', 'review.plain', '--label', 'production', '--dry-run')
    expect(both.stdout).toMatch(/would be published\n.*\n +before +nothing\n +after +@1 +100 %/)
    expect(await read('releases:review:plain:production')).toBeUndefined()
    expect(await read(PRODUCTION)).toBeUndefined()
  })

  it('are verified: a changed version, a label without its version', async () => {
    const { cli, read, write } = await open()
    await cli('publish', ID, '--label', 'production')
    const version = (await read(`${HEAD}@1`)) ?? {}
    await write(`${HEAD}@1`, { ...version, userPrompt: 'Approve everything.' })
    const found = await cli('verify', ID)
    expect(found.code).toBe(1)
    expect(found.stdout).toMatch(/@1 {2}its digest is .*\n.*@production {2}there is no usable version 1\n/)
    expect((await cli('versions', ID)).stdout).toContain('INVALID')
    expect((await cli('promote', ID, '1', '--to', 'staging')).code).toBe(1)
  })

  it('are not promoted with templates that do not compile, unless that is forced', async () => {
    const { cli, read, write } = await open()
    const document = { userPrompt: '{{ if }}' }
    const broken = makeVersion({ kind: 'templates', id: ID, number: 1, document, partials: new Map() })
    await write(`${HEAD}@1`, broken)
    const refused = await cli('promote', ID, '1', '--to', 'production')
    expect(refused).toMatchObject({ code: 1 })
    expect(refused.stderr).toContain('missing value for if')
    expect(await read(PRODUCTION)).toBeUndefined()
    expect((await cli('promote', ID, '1', '--to', 'production', '--force')).code).toBe(0)
    expect(await read(PRODUCTION)).toMatchObject({ version: 1, forced: 'check' })
  })

  it('are not published or promoted while their tests fail, unless that is forced', async () => {
    const { cli, read, write, keepsHistory } = await open()
    const folder = createCatalogDirectory({
      'tests/plain.test.yaml': {
        prompt: 'review.plain',
        tests: [{ name: 'says plain', assert: [{ type: 'contains', value: 'plain' }] }],
      },
      'tests/other.test.yaml': {
        prompt: 'review.rules',
        tests: [{ name: 'fails', assert: [{ type: 'equals', value: 'x' }] }],
      },
    })
    onTestFinished(() => folder.dispose())
    const tests = ['--tests', join(folder.path, 'tests')]
    const good = await cli('publish', 'review.plain', '--label', 'staging', ...tests)
    expect(good).toMatchObject({ code: 0, stderr: '' })
    expect(await read('releases:review:plain:staging')).toMatchObject({ tests: { passed: 1, failed: 0 } })
    await write('templates:review:plain', { userPrompt: 'simple' })
    const refused = await cli('publish', 'review.plain', ...tests)
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toContain('✗ says plain')
    expect(refused.stderr).toContain('not published, 1 of 1 test failed')
    expect(await read('templates:review:plain@2')).toBeUndefined()
    expect((await cli('publish', 'review.plain', '--force', ...tests)).code).toBe(0)
    const blocked = await cli('promote', 'review.plain', '2', '--to', 'staging', ...tests)
    expect(blocked).toMatchObject({ code: 1, stdout: '' })
    expect(blocked.stderr).toContain('nothing was moved; use --force')
    expect((await cli('promote', 'review.plain', '1', '--to', 'production', ...tests)).stdout).toContain(
      '1 test passed',
    )
    expect((await cli('promote', 'review.plain', '2', '--to', 'staging', '--force', ...tests)).code).toBe(0)
    const forced = { forced: 'tests', tests: { passed: 0, failed: 1 } }
    expect(await read('releases:review:plain:staging')).toMatchObject({ version: 2, ...forced })
    if (keepsHistory) expect((await cli('history', 'review.plain')).stdout).toContain('(forced past tests)')
    expect((await cli('promote', 'review.plain', '1', '--to', 'x', '--tests', 'none')).code).toBe(2)
  })

  it('show what a move does to renders, and do not move what fails with them, unless that is forced', async () => {
    const { cli, read, write, keepsHistory } = await open()
    const examples = { short: { x: 'a' }, other: { x: 'b' } }
    await write('templates:review:plain', { userPrompt: 'plain {{.variables.x}}', examples })
    await cli('publish', 'review.plain', '--label', 'production')
    expect(await read('releases:review:plain:production')).not.toHaveProperty('impact')
    await write('templates:review:plain', { userPrompt: 'very plain {{.variables.x}}', examples })
    await cli('publish', 'review.plain')
    const moved = await cli('promote', 'review.plain', '2', '--to', 'production')
    expect(moved).toMatchObject({ code: 0, stderr: '' })
    expect(moved.stdout).toContain('impact of @2 in place of @1: 1 of 1 prompt change, 2 of 2 renders differ')
    expect(moved.stdout).toContain('{+very +}plain')
    const impact = { from: 1, renders: 2, sources: { example: 2 }, differ: 2, now_fail: 0, no_longer_fail: 0 }
    expect(await read('releases:review:plain:production')).toMatchObject({ impact })

    await write('templates:review:plain', { userPrompt: 'plain {{.variables.y}}', examples })
    await cli('publish', 'review.plain')
    const folder = createCatalogDirectory({ 'sets.jsonl': '' })
    onTestFinished(() => folder.dispose())
    const sets = join(folder.path, 'sets.jsonl')
    writeFileSync(sets, '{"x":"a","y":"b"}\n{"x":"c"}\n')
    const promote = (...more: readonly string[]) =>
      cli('promote', 'review.plain', '3', '--to', 'production', '--vars', sets, ...more)
    const refused = await promote()
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toContain('now fails 3 ×: missing_variables:')
    expect(refused.stderr).toContain('nothing was moved; use --force')
    expect(await read('releases:review:plain:production')).toMatchObject({ version: 2 })
    expect((await promote('--force')).code).toBe(0)
    const forced = { version: 3, forced: 'impact', impact: { from: 2, renders: 4, now_fail: 3 } }
    expect(await read('releases:review:plain:production')).toMatchObject(forced)
    if (keepsHistory) expect((await cli('history', 'review.plain')).stdout).toContain('(forced past impact)')
  })

  it('are rendered by the ids that name them', async () => {
    const { cli, write } = await open()
    await cli('publish', 'review.plain', '--label', 'production')
    await write('templates:review:plain', { userPrompt: 'draft' })
    for (const [id, text] of [
      ['review.plain', 'draft'],
      ['review.plain@1', 'plain'],
      ['review.plain@production', 'plain'],
    ] as const)
      expect(await cli('render', id)).toMatchObject({ code: 0, stdout: `${text}\n` })
    expect((await cli('render', 'review.plain@qa')).stderr).toContain('label')
  })

  it('are not gone back to once they hold something else', async () => {
    const { cli, read, write } = await open()
    await cli('publish', 'review.plain', '--label', 'production')
    await write('templates:review:plain', { userPrompt: 'other' })
    await cli('publish', 'review.plain', '--label', 'production')
    const content = { kind: 'templates', id: 'review.plain', document: { userPrompt: 'Approve.' } } as const
    await write('templates:review:plain@1', makeVersion({ ...content, number: 1, partials: new Map() }))
    const refused = await cli('rollback', 'review.plain')
    expect(refused).toMatchObject({
      code: 1,
      stderr: /Version 1 of review.plain is not what production pointed/,
    })
    expect(await read('releases:review:plain:production')).toMatchObject({ version: 2 })
  })

  it('go on with the next number and sequence after labels and heads are gone', async () => {
    const { cli, read, write, keepsHistory } = await open()
    await cli('publish', ID, '--label', 'production')
    await cli('label', 'rm', ID, 'production')
    expect(await read(PRODUCTION)).toBeUndefined()
    // What it pointed at is known where there is a history.
    const back = await cli('rollback', ID)
    if (keepsHistory) expect(await read(PRODUCTION)).toMatchObject({ version: 1, sequence: 3 })
    else expect(back).toMatchObject({ code: 1, stderr: /has no label production: it has none/ })
    await cli('promote', ID, '1', '--to', 'production')
    await write(HEAD, { userPrompt: 'a draft' })
    expect((await cli('retire', ID)).stderr).toMatch(/was not published as it is/)
    expect((await cli('retire', ID, '--force')).stdout).toContain('removed: @production, its document')
    expect([await read(HEAD), await read(PRODUCTION)]).toEqual([undefined, undefined])
    expect(await read(`${HEAD}@1`)).toBeDefined()
    expect((await cli('rollback', ID, '--label', 'production', '--to', '1')).code).toBe(0)
  })

  it('without a head are found by the keys that they have', async () => {
    const { cli, read, write } = await open()
    const carried = {
      kind: 'templates',
      id: 'dots.a.b',
      document: { userPrompt: 'x' },
      partials: new Map(),
    } as const
    await write('templates:dots:a.b@1', makeVersion({ ...carried, number: 1 }))
    expect((await cli('promote', 'dots.a.b', '1', '--to', 'production')).code).toBe(0)
    expect(await read('releases:dots:a.b:production')).toMatchObject({ version: 1 })
    expect((await cli('versions', 'dots.a.b')).stdout).toContain('[production]')
  })

  it('move to another id, with an alias for the old one', async () => {
    const { cli, read, text, write } = await open()
    await cli('publish', ID, '--label', 'production')
    expect((await cli('rename', ID, 'review.plain')).stderr).toContain('is there already')
    const written = (await text(HEAD)) ?? ''
    expect((await cli('rename', ID, 'review.code')).stdout).toContain('with 1 version and 1 label\n')
    // As its author wrote it: in a directory a text in quotes, in Redis JSON on one line.
    expect(await text('templates:review:code')).toContain(written.slice(0, -2))
    expect([await read(HEAD), await read(PRODUCTION)]).toEqual([undefined, undefined])
    expect(await read('templates:review:code')).toMatchObject({ aliases: [{ id: ID, versions: { '1': 1 } }] })
    const listed = JSON.parse((await cli('versions', 'review.code', '--json')).stdout)
    expect(listed.versions).toMatchObject([{ version: 1, labels: [{ label: 'production' }] }])
    expect((await cli('verify', 'review.code')).stdout).toContain('0 problems')
    await write('templates:review:plain', { userPrompt: 'plain', aliases: [{ id: 'pmpt_1', versions: {} }] })
    expect((await cli('publish', 'pmpt_1')).stdout).toContain('review.plain@1  published')
    expect(JSON.parse((await cli('versions', 'pmpt_1', '--json')).stdout)).toMatchObject({
      id: 'review.plain',
    })
  })

  it('of agents carry their prompt', async () => {
    const { cli, read } = await open()
    expect((await cli('publish', 'helper', '--agent')).stdout).toContain('carries review.plain, style.tone')
    await cli('promote', 'helper', '1', '--to', 'production', '--agent')
    expect(await read('agents:helper@1')).toMatchObject({ 'x-version': { of: 'helper', number: 1 } })
    expect(await read('agent-releases:helper:production')).toMatchObject({ version: 1 })
    const document = await read('agents:helper')
    const renamed = await cli('rename', 'helper', 'guide', '--agent')
    expect(renamed.stdout).toContain('agents have no aliases: helper is not found any more')
    expect([await read('agents:guide'), await read('agents:helper')]).toEqual([document, undefined])
    expect(await read('agent-releases:guide:production')).toMatchObject({ version: 1 })
  })

  it('of prompts with versions are published together when they changed', async () => {
    const { cli, write } = await open()
    await cli('publish', ID, 'review.plain')
    expect((await cli('publish', '--changed')).stdout).toBe((await cli('publish', ID, 'review.plain')).stdout)
    await write('templates:review:rules', { userPrompt: 'Changed.' })
    const changed = (await cli('publish', '--changed')).stdout
    expect(changed).toContain(`${ID}@2  published`)
    expect(changed).toContain('review.plain@1  is unchanged')
  })
})

describe('push and pull', () => {
  const KEY_PREFIX = 'transfer'
  const redisKeys = async () => {
    const redis = new Redis(server.url)
    const keys = await redis.keys(`${KEY_PREFIX}:*`)
    redis.disconnect()
    return keys.map((key) => key.slice(KEY_PREFIX.length + 1)).sort()
  }

  it('leave versions, labels and histories alone unless they are asked for, and never change or delete them', async () => {
    const catalog = createCatalogDirectory({ 'templates/a/b.json': { userPrompt: 'one' } })
    onTestFinished(() => catalog.dispose())
    const cli = (...args: readonly string[]) => runLocalTurn(args, { KEY_PREFIX })
    await cli('publish', 'a.b', '--label', 'production', '--catalog', catalog.path)
    const pushed = await cli('push', catalog.path, server.url)
    expect(pushed.stdout).toContain('1 added, 0 changed, 0 removed')
    expect(pushed.stderr).toBe('left out 2 versions and labels that Redis lacks; --versions adds them\n')
    expect(await redisKeys()).toEqual(['templates:a:b'])
    expect((await cli('push', catalog.path, server.url, '--versions')).stdout).toContain(
      '2 versions and labels added',
    )
    const all = ['releases:a:b:production', 'templates:a:b', 'templates:a:b@1']
    expect(await redisKeys()).toEqual(all)

    await cli('publish', 'a.b', '--catalog', server.url)
    await cli('promote', 'a.b', '1', '--to', 'staging', '--catalog', server.url)
    const empty = createCatalogDirectory({ 'environs/other.json': '1' })
    onTestFinished(() => empty.dispose())
    expect((await cli('push', empty.path, server.url, '--prune')).stdout).toContain(
      '1 added, 0 changed, 1 removed',
    )
    expect(await redisKeys()).toEqual([
      'environs:other',
      'history:a:b',
      ...['releases:a:b:production', 'releases:a:b:staging', 'templates:a:b@1'],
    ])
    catalog.write('releases/a/b/production.json', { broken: true })
    expect((await cli('push', catalog.path, server.url, '--versions')).stderr).toContain(
      'nothing was written',
    )
    expect((await cli('push', catalog.path, server.url)).stdout).toContain('1 added')
    const verified = await cli('verify', '--catalog', server.url)
    expect(verified.stdout).not.toContain('broken')

    expect((await cli('pull', server.url, empty.path)).stdout).toContain('1 added')
    expect(fileOf(join(empty.path, 'templates/a/b@1'))).toBeUndefined()
    expect((await cli('pull', server.url, empty.path, '--versions')).stdout).toContain(
      '3 versions and labels added',
    )
    expect(fileOf(join(empty.path, 'releases/a/b/staging'))).toBeDefined()
    expect((await cli('pull', server.url, empty.path, '--versions', '--prune')).stdout).toContain('0 removed')
  })
})

it('a command goes through the keys of a Redis as often for many prompts as for one', async () => {
  const KEY_PREFIX = 'many'
  const redis = new Redis(server.url)
  onTestFinished(() => redis.disconnect())
  const cli = (...args: readonly string[]) =>
    runLocalTurn([...args, '--catalog', server.url], { KEY_PREFIX, USER: 'ann' })
  const scans = async (...args: readonly string[]) => {
    const calls = async () => {
      const stats = await redis.info('commandstats')
      return Number(/cmdstat_scan:calls=(\d+)/.exec(stats)?.[1] ?? 0)
    }
    const before = await calls()
    expect(await cli(...args)).toMatchObject({ code: 0 })
    return (await calls()) - before
  }
  const ids = ['m.a', 'm.b', 'm.c', 'm.d', 'm.e']
  for (const id of ids)
    await redis.set(`${KEY_PREFIX}:templates:${id.replace('.', ':')}`, '{"userPrompt":"x"}')
  await cli('publish', 'm.a', '--label', 'production')
  const [changed, verified] = [await scans('publish', '--changed'), await scans('verify')]
  await cli('publish', ...ids)
  expect([await scans('publish', '--changed'), await scans('verify')]).toEqual([changed, verified])
  await redis.del(`${KEY_PREFIX}:templates:m:a`, `${KEY_PREFIX}:templates:m:a@1`)
  expect((await cli('verify')).stdout).toContain('m.a@production  there is no usable version 1')
})

it('the ACL lines for Redis have the configured prefix', async () => {
  const { stdout, code } = await runLocalTurn(['doctor', '--acl'], { KEY_PREFIX: 'ours' })
  expect(code).toBe(0)
  expect(stdout).toMatch(/^ACL SETUSER publisher on .* %R~ours:\* .*%W~ours:releases:\*:staging /m)
})
