import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { App } from '../../../src/app.js'
import { createHardStop } from '../../../src/util/slices/hard-stop.js'
import { buildTestApp } from '../../support/build-test-app.js'
import { type CatalogDirectory, createCatalogDirectory } from '../../support/catalog-directory.js'
import { createKeysFile, type TestKeysFile } from '../../support/keys-file.js'

const [READER, TESTER] = ['reader-key-0123456789', 'tester-key-0123456789']
const [WRITER, OTHER] = ['writer-key-0123456789', 'other-key-0123456789']
const DRAFT = { userPrompt: 'Bye {{.variables.name}}', parameters: [{ name: 'name', type: 'string' }] }

/** Stops what never ends, and blames it however busy the machine is; what is stopped for longer has others refused. */
const stopsSlowOnes = createHardStop({ limitMs: 200, processorMs: () => performance.now() })

let catalog: CatalogDirectory
let keys: TestKeysFile
let app: App
beforeAll(async () => {
  catalog = createCatalogDirectory({
    'templates/a/hello.yaml': {
      userPrompt: 'Hello {{.variables.name}}{{with .variables.symbol}} {{code_refs .}}{{end}}',
      parameters: [
        { name: 'name', type: 'string' },
        { name: 'symbol', type: 'string', required: false },
      ],
      examples: { ada: { name: 'Ada' } },
    },
    'templates/a/other.yaml': { userPrompt: 'Other' },
    'tools/code/refs.yaml': {
      url: 'http://127.0.0.1:9/refs',
      parameters: [{ name: 'symbol', type: 'string' }],
    },
  })
  catalog.write(
    'tests/a.test.yaml',
    `prompt: a.hello
tests:
  - { name: greets, example: ada, assert: [{ type: contains, value: Hello Ada }, { type: tokens, threshold: 9 }] }
  - { name: script, vars: { name: x }, assert: [{ type: javascript, value: "process.exit(1)" }] }
  - { name: both, vars: { name: x }, assert: [{ type: javascript, value: "process.exit(1)" }, { type: not-contains, value: z }] }
  - { name: kept, vars: { name: x }, assert: [{ type: snapshot }] }
  - { name: calls, vars: { name: x, symbol: f }, assert: [{ type: contains, value: Hello }] }
  - { name: same, vars: { name: x }, assert: [{ type: renders, value: head }] }
  - { name: slow, vars: { name: ${'a'.repeat(40)} }, assert: [{ type: regex, value: "^Hello (a|a)*$b" }] }
  - { name: of another, prompt: a.other, assert: [{ type: equals, value: Other }] }
`,
  )
  catalog.write('tests/__snapshots__/a.test.snap.yaml', 'kept: Hello you\n')
  catalog.write('tests/b.test.yaml', 'prompt: a.other\ntests: [{ nmae: x }]\n')
  catalog.write('tests/large.test.yaml', `prompt: a.hello\n# ${'x'.repeat(1_100_000)}\ntests: []\n`)
  keys = createKeysFile([
    { name: 'reader', key: READER, scopes: ['read'] },
    { name: 'tester', key: TESTER, scopes: ['read', 'render'] },
    { name: 'writer', key: WRITER, scopes: ['read', 'render', 'inline'] },
    { name: 'other', key: OTHER, scopes: ['read', 'render'], prompts: ['a.other'] },
  ])
  app = await buildTestApp({ CATALOG_DIR: catalog.path }, { guard: stopsSlowOnes })
})
afterAll(async () => {
  await app.close()
  catalog.dispose()
  keys.dispose()
})

const list = async (id = 'a.hello') => (await app.server.inject(`/api/prompts/${id}/tests`)).json()
const run = async (payload: object = {}, id = 'a.hello') =>
  (await app.server.inject({ method: 'POST', url: `/api/prompts/${id}/tests`, payload })).json()
const statuses = ({ tests }: { tests: { name: string; status: string }[] }) =>
  Object.fromEntries(tests.map(({ name, status }) => [name, status]))

describe('tests over HTTP', () => {
  it('are listed with their places, variables and assertions, and what is wrong with their files', async () => {
    const { enabled, tests, problems } = await list()
    expect(enabled).toBe(true)
    expect(tests.map(({ name }: { name: string }) => name)).not.toContain('of another')
    expect(tests[0]).toEqual({
      name: 'greets',
      file: 'tests/a.test.yaml',
      line: 3,
      prompt: 'a.hello',
      example: 'ada',
      vars: {},
      assertions: ['contains', 'tokens'],
    })
    expect(tests[1]).toMatchObject({ assertions: ['javascript'], left_out: expect.any(String) })
    expect(problems).toMatchObject([
      { file: 'tests/large.test.yaml', message: expect.stringMatching(/^larger/) },
    ])
    expect((await list('a.other')).problems).toMatchObject([
      { file: 'tests/b.test.yaml', line: 2, message: expect.stringContaining('Did you mean "name"') },
      { file: 'tests/b.test.yaml', message: expect.stringContaining('at least one assertion') },
      { file: 'tests/large.test.yaml' },
    ])
    expect((await list('a.nothing')).error.code).toBe('prompt_not_found')
  })

  it('run with their own context, call no tool, run no script, and are stopped where they take long', async () => {
    const answer = await run()
    expect(statuses(answer)).toEqual({
      greets: 'passed',
      script: 'left_out',
      both: 'passed',
      kept: 'failed',
      calls: 'failed',
      same: 'passed',
      slow: 'failed',
    })
    expect([answer.passed, answer.failed, answer.more]).toEqual([3, 3, 0])
    const failures = Object.fromEntries(
      answer.tests.map(({ name, failures: [first] }: { name: string; failures: object[] }) => [name, first]),
    )
    expect(failures.kept).toMatchObject({ before: 'Hello you', after: 'Hello x' })
    expect(failures.calls.message).toMatch(/^tool code\.refs was called and is not replaced/)
    expect(failures.slow.message).toMatch(/stopped/)
    expect(statuses(await run({ names: ['greets'] }))).toEqual({ greets: 'passed' })
  })

  it('judge a draft in place of the prompt, which stays as it is', async () => {
    const drafted = await run({ prompt: DRAFT, names: ['greets', 'same'] })
    // A draft has its own examples: here none.
    expect(statuses(drafted)).toEqual({ greets: 'failed', same: 'failed' })
    const better = { ...DRAFT, userPrompt: 'Hello {{.variables.name}}!', examples: { ada: { name: 'Ada' } } }
    expect(statuses(await run({ prompt: better, names: ['greets'] }))).toEqual({ greets: 'passed' })
    expect((await run({ prompt: { userPrompt: '{{if}}' } })).error.code).toBe('template_syntax')
    expect(statuses(await run({ names: ['same'] }))).toEqual({ same: 'passed' })
  })

  it('are for keys that may read and render; drafts need inline', async () => {
    const locked = await buildTestApp(
      { CATALOG_DIR: catalog.path, KEYS_FILE: keys.path },
      { guard: stopsSlowOnes },
    )
    try {
      const ask = async (key: string, payload?: object) => {
        const { statusCode } = await locked.server.inject({
          method: payload === undefined ? 'GET' : 'POST',
          url: '/api/prompts/a.hello/tests',
          headers: { authorization: `Bearer ${key}` },
          ...(payload !== undefined && { payload }),
        })
        return statusCode
      }
      expect(await ask(READER)).toBe(200)
      expect(await ask(READER, {})).toBe(403)
      expect(await ask(TESTER, {})).toBe(200)
      expect(await ask(TESTER, { prompt: DRAFT })).toBe(403)
      expect(await ask(WRITER, { prompt: DRAFT })).toBe(200)
      expect(await ask(OTHER)).toBe(404)
      expect(await ask(OTHER, {})).toBe(404)
    } finally {
      await locked.close()
    }
  })

  it('are read again once their file changed', async () => {
    catalog.write(
      'tests/c.test.yaml',
      'prompt: a.other\ntests: [{ name: one, assert: [{ type: equals, value: Other }] }]\n',
    )
    expect(statuses(await run({}, 'a.other')).one).toBe('passed')
    catalog.write(
      'tests/c.test.yaml',
      'prompt: a.other\ntests: [{ name: three, assert: [{ type: equals, value: No }] }]\n',
    )
    expect(statuses(await run({}, 'a.other'))).toMatchObject({ three: 'failed' })
  })
})
