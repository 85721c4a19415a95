import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { buildApp } from '../../../src/app.js'
import { loadConfig } from '../../../src/config.js'
import { silentLogger } from '../../../src/util/telemetry/logger.js'
import { buildTestApp } from '../../support/build-test-app.js'
import { type CatalogDirectory, createCatalogDirectory } from '../../support/catalog-directory.js'
import { createKeysFile } from '../../support/keys-file.js'
import { release, version } from '../../support/lives.js'
import { runLocalTurn as cli, startCli } from '../../support/run-cli.js'
import { waitUntil } from '../../support/wait-until.js'

const EXAMPLES = resolve(import.meta.dirname, '../../../examples')

let catalog: CatalogDirectory
beforeEach(() => {
  catalog = createCatalogDirectory({
    'templates/a/hello.yaml': {
      userPrompt:
        '{{template "a.tone" .}} Hello {{.variables.name}} of {{.team.name}}.{{if .variables.loud}} HEY{{end}}',
      parameters: [
        { name: 'name', type: 'string' },
        { name: 'loud', type: 'boolean', default: false },
      ],
      examples: { ada: { name: 'Ada' } },
    },
    'templates/a/tone.yaml': { userPrompt: 'Be kind.' },
    'templates/a/refs.yaml': {
      messages: [
        { role: 'system', content: 'You review.' },
        { role: 'user', content: 'Refs: {{code_refs .variables.symbol}}' },
      ],
      parameters: [{ name: 'symbol', type: 'string' }],
    },
    'environs/team/name.yaml': 'Acme',
    'tools/code/refs.yaml': {
      url: 'http://127.0.0.1:9/refs',
      parameters: [{ name: 'symbol', type: 'string' }],
    },
  })
})
afterEach(() => catalog.dispose())

/** Writes a file of tests and runs it. */
function run(tests: string, ...options: string[]) {
  catalog.write('tests/a.test.yaml', tests)
  return cli(['test', catalog.path, ...options])
}

describe('test', () => {
  it('judges renders with their own variables, examples, context and tools', async () => {
    const outcome = await run(`
prompt: a.hello
defaults: { vars: { name: Bob } }
tests:
  - { name: default, assert: [{ type: equals, value: "Be kind. Hello {{name}} of Acme." }] }
  - { name: example, example: ada, vars: { name: Eve }, assert: [{ type: contains, value: Eve }] }
  - name: context
    environs: { team.name: Other }
    assert: [{ type: contains, value: of Other. }, { type: not-icontains, value: acme }]
  - name: no context
    environs: { team.name: null }
    assert: [{ type: error, value: { code: missing_variables, message: team.name } }]
  - { name: branch, vars: { loud: true }, assert: [{ type: contains, value: HEY }, { type: tokens, value: { min: 5, max: 20 } }] }
  - name: wrong variables
    vars: { name: 1 }
    assert: [{ type: error, value: invalid_variables }]
  - name: origin
    assert:
      - { type: span, value: { text: Bob, path: variables.name } }
      - { type: span, value: { text: Acme, path: team.name } }
      - { type: span, value: { text: Be kind., template: a.tone } }
      - { type: not-span, value: { text: Hello, template: a.tone } }
  - name: tools
    prompt: a.refs
    vars: { symbol: f }
    tools: { code.refs: { result: [x.go] } }
    assert:
      - { type: calls, value: [{ tool: code.refs, arguments: { symbol: f } }] }
      - { type: contains, value: "Refs: [x.go]" }
      - { type: roles, value: [system, user] }
  - name: failing tool
    prompt: a.refs
    vars: { symbol: f }
    tools: { code_refs: { error: down } }
    assert: [{ type: regex, value: "Refs: $" }]
`)
    expect(outcome).toMatchObject({ code: 0, stderr: '' })
    expect(outcome.stdout).toMatch(/✓ .*a\.test\.yaml \(9\)\n9 tests: 9 passed, 0 failed/)
  })

  it('says what failed, where, and calls no tool that the test does not replace', async () => {
    const outcome = await run(`prompt: a.refs
tests:
  - name: calls
    vars: { symbol: f }
    assert:
      - { type: contains, value: nowhere }
  - { name: fails, vars: {}, assert: [{ type: contains, value: x }] }
`)
    expect(outcome.code).toBe(1)
    expect(outcome.stdout).toContain('tool code.refs was called and is not replaced')
    expect(outcome.stdout).toMatch(/a\.test\.yaml:6 expected the output to contain "nowhere"/)
    expect(outcome.stdout).toMatch(/a\.test\.yaml:7 the render failed: invalid_variables|missing_variables/)
    expect(outcome.stdout).toContain('2 tests: 0 passed, 2 failed')
  })

  it('names what it does not know with its line and a near name, and passes over it on request', async () => {
    const tests = `prompt: a.hello
scenarios: []
tests:
  - name: one
    vras: {}
    vars: { name: x }
    assert:
      - { type: contians, value: x }
      - { type: g-eval, value: is kind }
      - { type: contains, value: x, thresold: 1 }
`
    const outcome = await run(tests)
    expect(outcome.code).toBe(1)
    for (const line of [
      /:2:1 unknown field "scenarios"/,
      /:5:5 unknown field "vras". Did you mean "vars"\?/,
      /:8:\d+ unknown assertion "contians". Did you mean "contains"/,
      /:9:\d+ unknown assertion "g-eval"/,
      /:10:\d+ unknown field "thresold". Did you mean "threshold"/,
    ])
      expect(outcome.stdout).toMatch(line)
    const skipped = await run(tests, '--skip-unknown')
    expect(skipped.code).toBe(0)
    expect(skipped.stdout).toMatch(/:2:1 skipped: unknown field "scenarios"/)
  })

  it('keeps snapshots with --update, says how they differ, and reports those without a test', async () => {
    const one = '  - { name: one, vars: { name: Ada }, assert: [{ type: snapshot }] }\n'
    const two =
      '  - { name: two, prompt: a.refs, vars: { symbol: f }, tools: { code.refs: { result: y } }, assert: [{ type: snapshot }] }\n'
    const missing = await run(`prompt: a.hello\ntests:\n${one}${two}`)
    expect(missing.code).toBe(1)
    expect(missing.stdout).toContain('there is no snapshot yet: run with --update')
    expect((await run(`prompt: a.hello\ntests:\n${one}${two}`, '--update')).code).toBe(0)
    const file = join(catalog.path, 'tests/__snapshots__/a.test.snap.yaml')
    expect(readFileSync(file, 'utf8')).toContain('one: Be kind. Hello Ada of Acme.')
    expect((await run(`prompt: a.hello\ntests:\n${one}${two}`)).code).toBe(0)
    catalog.write('templates/a/tone.yaml', { userPrompt: 'Be brief.' })
    const changed = await run(`prompt: a.hello\ntests:\n${one}`)
    expect(changed.stdout).toContain('    - Be kind. Hello Ada of Acme.\n    + Be brief. Hello Ada of Acme.')
    expect(changed.stdout).toContain('snapshot without a test: two (--update removes it)')
    expect((await run(`prompt: a.hello\ntests:\n${one}`, '-u')).code).toBe(0)
    expect(readFileSync(file, 'utf8')).not.toContain('two')
    catalog.write('tests/a.test.yaml', `prompt: a.hello\ntests:\n${one}`)
    const inCi = await cli(['test', catalog.path, '--update'], { CI: 'true' })
    expect(inCi).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--update is refused where CI is set'),
    })
  })

  it('reports as JSON, TAP, annotations and JUnit', async () => {
    const tests =
      'prompt: a.hello\ntests:\n  - { name: "a <b> & #1", vars: { name: x }, assert: [{ type: equals, value: y }] }\n'
    expect(JSON.parse((await run(tests, '--json')).stdout)).toMatchObject({ passes: false, failed: 1 })
    expect((await run(tests, '--format', 'tap')).stdout).toContain(
      'TAP version 14\n1..1\nnot ok 1 - a <b> & \\#1\n',
    )
    expect((await run(tests, '--format', 'github')).stdout).toMatch(
      /^::error file=.*a\.test\.yaml,line=3,title=a <b> & #1::expected/,
    )
    const junit = join(catalog.path, 'junit.xml')
    expect((await run(tests, '--junit', junit)).code).toBe(1)
    const xml = readFileSync(junit, 'utf8')
    expect(xml).toContain('tests="1" failures="1"')
    expect(xml).toContain('<testcase name="a &lt;b&gt; &amp; #1" classname="a.hello"')
  })

  it('chooses tests, stops early, and scores with a threshold and weights', async () => {
    const tests = `prompt: a.hello
defaultTest: { vars: { name: x } }
tests:
  - { name: first, assert: [{ type: equals, value: no }] }
  - { name: second, threshold: 0.5, assert: [{ type: equals, value: no }, { type: contains, value: x, weight: 2 }] }
  - { name: third, assert: [{ type: equals, value: no, weight: 0 }] }
`
    expect((await run(tests, '--grep', 'second|third')).stdout).toContain('2 passed, 0 failed')
    expect((await run(tests, '--bail')).stdout).toContain('1 test: 0 passed, 1 failed')
    expect((await run(tests, '--grep', '(')).code).toBe(2)
  })

  it('runs again when the catalog or a test changes', async () => {
    catalog.write(
      'tests/a.test.yaml',
      'prompt: a.tone\ntests: [{ name: t, assert: [{ type: equals, value: Be kind. }] }]\n',
    )
    const running = startCli(['test', catalog.path, '--watch', '--limit', '2'])
    await waitUntil(() => running.stdout().includes('1 passed'))
    catalog.write('templates/a/tone.yaml', { userPrompt: 'Be brief.' })
    expect(await running.code).toBe(1)
    expect(running.stdout()).toContain('0 passed, 1 failed')
  })

  it('runs only what a change reaches again, by a partial or by the context', async () => {
    catalog.write('templates/a/one.yaml', { userPrompt: 'One: {{template "a.tone"}}' })
    catalog.write('templates/a/two.yaml', { userPrompt: 'Two: {{.watched.city}}' })
    catalog.write('environs/watched.json', { city: 'Ulm' })
    catalog.write(
      'tests/a.test.yaml',
      `tests:
  - { name: t1, prompt: a.one, assert: [{ type: starts-with, value: "One: Be" }] }
  - { name: t2, prompt: a.two, assert: [{ type: contains, value: Two }] }
  - { name: t3, prompt: a.two, assert: [{ type: not-contains, value: Köln }] }
`,
    )
    const running = startCli(['test', catalog.path, '--watch', '--limit', '3'])
    await waitUntil(() => running.stdout().includes('3 passed'))
    catalog.write('templates/a/tone.yaml', { userPrompt: 'Be brief.' })
    await waitUntil(() => running.stdout().includes('1 test: 1 passed, 0 failed'))
    // No test renders what this reaches.
    catalog.write('environs/unread.json', { city: 'Bonn' })
    catalog.write('environs/watched.json', { city: 'Köln' })
    expect(await running.code).toBe(1)
    expect(running.stdout()).toContain('2 tests: 1 passed, 1 failed')
  })

  it('reads files of promptfoo: inline prompts, files, rows and the provider echo', async () => {
    catalog.write('tests/prompt.txt', 'Translate {{text}} to {{to}}\n')
    catalog.write('tests/rows.jsonl', '{"vars":{"text":"cat","to":"German"}}\n{"text":"dog","to":"French"}\n')
    const outcome = await run(`
description: promptfoo's own
prompts: ["Say {{text}} in {{to}}", "file://prompt.txt"]
providers: [echo]
defaultTest: { assert: [{ type: contains, value: "{{text}}" }, { type: javascript, value: "output.length > 5" }] }
tests: file://rows.jsonl
`)
    expect(outcome.stdout).toContain('4 passed, 0 failed')
    const model = await run(
      'prompts: [x]\nproviders: [openai:gpt-5]\ntests: [{ vars: {}, assert: [{ type: equals, value: x }] }]\n',
    )
    expect(model.stdout).toMatch(/:2:\d+ provider openai:gpt-5 is not asked/)
    expect(model.code).toBe(1)
  })

  it('reads a configuration of the form in which OpenAI exports its evals, and names what it does not judge', async () => {
    const exported = `# yaml-language-server: $schema=https://promptfoo.dev/config-schema.json
description: Support tickets
prompts:
  - id: ticket
    label: Ticket
    raw: |
      [{"role": "developer", "content": "Answer with a category."}, {"role": "user", "content": "{{item.ticket}}"}]
providers:
  - id: openai:chat:gpt-4.1-mini
    config: { temperature: 0, max_tokens: 20 }
defaultTest:
  assert:
    - type: icontains
      value: "{{item.word}}"
    - type: similar
      value: "{{item.category}}"
      threshold: 0.8
tests:
  - description: printer
    vars: { item: { ticket: My printer is on FIRE, word: fire, category: Hardware } }
  - vars: { item: { ticket: I cannot log in, word: LOG IN, category: Access } }
`
    const all = await run(exported)
    expect(all.code).toBe(1)
    expect(all.stdout).toMatch(/:9:\d+ provider openai:chat:gpt-4\.1-mini is not asked/)
    expect(all.stdout).toMatch(/:15:\d+ unknown assertion "similar"/)
    const known = await run(exported, '--skip-unknown')
    expect([known.stdout, known.code]).toEqual([expect.stringContaining('2 passed, 0 failed'), 0])
  })

  it('lists what no test renders, and what no test notices', async () => {
    const tests = `prompt: a.hello
tests:
  - { name: quiet, vars: { name: x }, assert: [{ type: contains, value: x }] }
`
    const covered = await run(tests, '--coverage')
    expect(covered.code).toBe(0)
    expect(covered.stdout).toMatch(/hello\.yaml:1:\d+ no test renders {{if \.variables\.loud}} \(a\.hello\)/)
    expect(covered.stdout).toContain('a.hello: no test gives the variable loud\na.refs: no test renders it')
    expect(covered.stdout).toContain('1 prompt: 7 of 8 parts rendered (87 %)')
    const mutated = await run(tests, '--mutate')
    expect(mutated.code).toBe(1)
    expect(mutated.stdout).toMatch(
      /hello\.yaml:1:\d+ no test noticed: removed {{template "a\.tone" \.}} \(a\.hello\)/,
    )
    expect(mutated.stdout).toContain('no test noticed: always took {{if .variables.loud}}')
    expect(mutated.stdout).not.toContain('removed {{.variables.name}}')
    expect(
      JSON.parse(`${(await run(tests, '--mutate', '--json')).stdout.split('\n}\n')[1]}\n}`),
    ).toMatchObject({
      untested: ['a.refs', 'a.tone'],
    })
  })

  it('tests versions and what labels serve', async () => {
    const second = version('a.tone', 2, { userPrompt: 'Be brief.' })
    catalog.write('templates/a/tone@2.yaml', second.document)
    catalog.write('releases/a/tone/staging.yaml', release(second))
    const tests = `tests:
  - { name: head or label, prompt: a.tone, assert: [{ type: equals, value: Be kind. }] }
  - { name: version, prompt: a.tone@2, assert: [{ type: equals, value: Be brief. }] }
  - { name: label, prompt: a.tone@staging, assert: [{ type: equals, value: Be brief. }] }
  - { name: nothing, prompt: a.tone@production, assert: [{ type: error, value: label_not_found }] }
`
    expect((await run(tests)).stdout).toContain('4 passed, 0 failed')
    const staged = await run(tests, '--label', 'staging')
    expect(staged.stdout).toContain('✗ head or label')
    expect(staged.stdout).toContain('3 passed, 1 failed')
  })

  it('explains what is missing on the command line', async () => {
    expect(await cli(['test', '/nowhere.yaml'])).toMatchObject({ code: 2 })
    expect((await cli(['test', catalog.path])).stderr).toContain('no tests')
    expect((await run('tests: [')).code).toBe(1)
    expect((await run('prompt: a.hello\ntests: []\n')).stdout).toContain('there are no tests')
    expect((await run('tests: [{ assert: [{ type: equals, value: x }] }]')).stdout).toContain(
      'a test needs a prompt',
    )
  })
})

describe.each(['starter', 'catalog'])('the tests of examples/%s', (name) => {
  it('pass', async () => {
    expect(existsSync(join(EXAMPLES, name, 'tests'))).toBe(true)
    const outcome = await cli(['test', join(EXAMPLES, name)])
    expect(outcome).toMatchObject({ code: 0, stdout: expect.stringContaining(' 0 failed') })
  })
})

describe('test --against, renders and CSV', () => {
  it('compare with versions, and show the lines that differ', async () => {
    catalog.write(
      'templates/a/hello@1.yaml',
      JSON.stringify(version('a.hello', 1, { userPrompt: 'Hi {{.variables.name}}' }).document),
    )
    const tests = (claim: string) => `
tests:
  - { name: one, prompt: a.hello, vars: { name: Ada }, assert: [${claim}] }
`
    expect((await run(tests('{ type: renders, value: head }'))).code).toBe(0)
    expect((await run(tests('{ type: not-renders, value: 1 }'))).code).toBe(0)
    const differs = await run(tests('{ type: renders, value: 1 }'))
    expect([differs.code, differs.stdout]).toEqual([1, expect.stringContaining('- Hi Ada')])
    expect((await run(tests('{ type: contains, value: Ada }'), '--against', '1')).code).toBe(1)
    expect((await run(tests('{ type: contains, value: Ada }'), '--against', 'head')).code).toBe(0)
    const missing = await run(tests('{ type: contains, value: Ada }'), '--against', '7')
    expect([missing.code, missing.stdout]).toEqual([1, expect.stringContaining('version_not_found')])
  })

  it('read rows of a CSV file, and refuse columns that mean nothing', async () => {
    const rows = [
      'name,__expected,__expected2,__description',
      '"Ada ""A"" B",contains: Ada,not-contains: Bob,one',
      'Bob,equals: Be kind. Hello Bob of Acme.,,two',
    ]
    catalog.write('tests/rows.csv', rows.join('\n'))
    const outcome = await run('prompt: a.hello\ntests: file://rows.csv\n')
    expect(outcome.stdout).toContain('2 tests: 2 passed')
    catalog.write('tests/rows.csv', 'name,__metric\nAda,x\n')
    const refused = await run('prompt: a.hello\ntests: file://rows.csv\n')
    expect(refused.stdout).toContain('unknown column __metric')
  })
})

describe('impact', () => {
  const tests = `
tests:
  - { name: ada, prompt: a.hello, vars: { name: Ada }, assert: [{ type: contains, value: Ada }] }
  - { name: loud, prompt: a.hello, vars: { name: Eve, loud: true }, assert: [{ type: contains, value: HEY }] }
  - { name: refs, prompt: a.refs, vars: { symbol: f }, assert: [{ type: roles, value: [system, user] }] }
`
  const impact = (...words: string[]) => cli(['impact', ...words, '--catalog', catalog.path])
  const reportOf = async (...words: string[]) => {
    const { stdout, stderr } = await impact(...words, '--json')
    expect(stderr).toBe('')
    return JSON.parse(stdout)
  }
  beforeEach(() => {
    catalog.write('tests/a.test.yaml', tests)
    catalog.write('drafts/tone.yaml', 'userPrompt: Be brief and kind.\n')
  })

  it('names every prompt that a changed partial changes, with the words that differ', async () => {
    const report = await reportOf('partial', 'a.tone', '--draft', join(catalog.path, 'drafts/tone.yaml'))
    expect(
      report.prompts.map(({ prompt, renders, differ }: Record<string, unknown>) => [prompt, renders, differ]),
    ).toEqual([['a.hello', 3, 3]])
    expect(report.unrendered).toEqual(['a.tone'])
    const [{ typical, tokens, sources }] = report.prompts
    expect(typical.diff).toContain('Be {+brief and +}kind.')
    expect(tokens.after.p50 - tokens.before.p50).toBe(2)
    expect(sources).toEqual({ example: 1, test: 2 })
  })

  it('tells what fails now, and exits with 1', async () => {
    catalog.write('drafts/draft.yaml', 'userPrompt: "{{.variables.other}}"\n')
    const outcome = await impact('a.hello', '--draft', join(catalog.path, 'drafts/draft.yaml'))
    expect(outcome.code).toBe(1)
    expect(outcome.stdout).toContain('now fails 2 ×: missing_variables: ')
  })

  it('reads who depends on a path of the context, and calls no tool', async () => {
    catalog.write('drafts/name.yaml', 'Other\n')
    const environ = await reportOf('environ', 'team.name', '--draft', join(catalog.path, 'drafts/name.yaml'))
    expect(environ.prompts.map(({ prompt, differ }: Record<string, unknown>) => [prompt, differ])).toEqual([
      ['a.hello', 3],
    ])
    catalog.write(
      'drafts/refs.yaml',
      'url: http://127.0.0.1:9/other\nparameters: [{ name: symbol, type: string }]\n',
    )
    const tool = await reportOf('tool', 'code.refs', '--draft', join(catalog.path, 'drafts/refs.yaml'))
    expect(tool.prompts).toMatchObject([{ prompt: 'a.refs', differ: 0, tools_left_out: { 'code.refs': 1 } }])
  })

  it('has tools answer what a test or a recorded call has in their place', async () => {
    catalog.write(
      'tests/b.test.yaml',
      `
tests:
  - { name: known, prompt: a.refs, vars: { symbol: g }, tools: { code.refs: { result: [x.go] } }, assert: [{ type: contains, value: x.go }] }
`,
    )
    catalog.write(
      'drafts/refs.yaml',
      'userPrompt: "{{code_refs .variables.symbol}}, {{code_refs .variables.symbol}}"\nparameters: [{ name: symbol, type: string }]\n',
    )
    const report = await reportOf('a.refs', '--draft', join(catalog.path, 'drafts/refs.yaml'))
    expect(report.prompts).toMatchObject([{ renders: 2, tools_left_out: { 'code.refs': 1 } }])
    expect(JSON.stringify(report)).toContain('[x.go]')

    const asked: string[] = []
    const server = createServer((request, response) => {
      asked.push(request.url ?? '')
      response.setHeader('content-type', 'application/json').end('["from the tool"]')
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as AddressInfo
    catalog.write(
      'tools/code/refs.yaml',
      `url: http://127.0.0.1:${port}/refs\nparameters: [{ name: symbol, type: string }]\n`,
    )
    const app = await buildApp(
      loadConfig({
        environment: {
          CATALOG_DIR: catalog.path,
          RECORD_VARIABLES: '5',
          RENDER_TIMEOUT_MS: '5000',
          TOOL_BASE_URL: `http://127.0.0.1:${port}`,
        },
      }),
      {
        logger: silentLogger(),
      },
    )
    try {
      await app.server.listen({ host: '127.0.0.1', port: 0 })
      const payload = { variables: { symbol: 'h' } }
      const rendered = await app.server.inject({ method: 'POST', url: '/api/render/prompts/a.refs', payload })
      expect(JSON.stringify(rendered.json())).toContain('from the tool')
      const before = asked.length
      const url = `http://127.0.0.1:${(app.server.server.address() as AddressInfo).port}`
      const recorded = await reportOf(
        'a.refs',
        '--draft',
        join(catalog.path, 'drafts/refs.yaml'),
        '--url',
        url,
      )
      const [{ sources, tools_left_out: leftOut }] = recorded.prompts
      expect([sources, leftOut]).toEqual([{ recorded: 1, test: 2 }, { 'code.refs': 1 }])
      expect(asked.length).toBe(before)
    } finally {
      await app.close()
      server.close()
    }
  })

  it('compares two catalogs, and says so in Markdown that texts cannot break out of', async () => {
    const base = createCatalogDirectory({
      'templates/a/tone.yaml': { userPrompt: 'Be `` ``` kind.' },
      'templates/a/gone.yaml': { userPrompt: 'x' },
    })
    try {
      catalog.write('templates/a/tone.yaml', 'userPrompt: Be kind.\nexamples: { one: {} }\n')
      const outcome = await impact('--base', base.path, '--format', 'markdown')
      expect(outcome).toMatchObject({ code: 0, stderr: '' })
      expect(outcome.stdout).toContain('| `a.tone` | 1 of 1 | 0 |')
      expect(outcome.stdout).toContain('- removed: `a.gone`')
      expect(outcome.stdout).toContain('\n````\n')
    } finally {
      base.dispose()
    }
  })

  it('compares versions', async () => {
    const one = version('a.hello', 1, { userPrompt: 'Hi {{.variables.name}}' })
    catalog.write('templates/a/hello@1.yaml', JSON.stringify(one.document))
    const report = await reportOf('a.hello', '--from', '1', '--to', 'head')
    expect(report.prompts).toMatchObject([{ prompt: 'a.hello', differ: 3, now_fail: [] }])
  })

  it.each([
    [['a.hello'], 'name the change: --draft <file>'],
    [[], 'name a prompt, or a catalog to compare with'],
    [['thing', 'a.b', '--draft', 'x'], 'thing: it is one of partial, environ, tool'],
    [['a.hello', '--from', '1', '--draft', 'README.md'], '--draft goes without --from and --to'],
    [['a.hello', '--base', 'x'], '--base compares whole catalogs'],
    [['a.hello', '--from', '1', '--last', '0'], '--last must be a number'],
    [['a.hello', '--from', '!', '--to', 'head'], 'neither a version nor a label'],
  ])('refuses %j', async (words, message) => {
    const outcome = await impact(...words)
    expect([outcome.code, outcome.stderr]).toEqual([2, expect.stringContaining(message)])
  })
})

describe('RECORD_VARIABLES', () => {
  const open = (environment: Record<string, string>) =>
    buildTestApp({ CATALOG_DIR: catalog.path, ...environment })
  const render = (app: Awaited<ReturnType<typeof open>>, variables: object) =>
    app.server.inject({ method: 'POST', url: '/api/render/prompts/a.secret', payload: { variables } })
  const recorded = async (app: Awaited<ReturnType<typeof open>>, query = '') =>
    (await app.server.inject(`/api/prompts/a.secret/variables${query}`)).json()
  beforeEach(() =>
    catalog.write(
      'templates/a/secret.yaml',
      JSON.stringify({
        userPrompt: '{{.variables.name}}{{template "a.tone" .}}',
        parameters: {
          type: 'object',
          properties: {
            name: { type: 'string' },
            token: { type: 'string', 'x-secret': true },
            user: { $ref: '#/$defs/user' },
            list: { type: 'array', items: { anyOf: [{ properties: { pin: { writeOnly: true } } }] } },
          },
          $defs: { user: { type: 'object', properties: { password: { type: 'string', writeOnly: true } } } },
        },
      }),
    ),
  )

  it('keeps the last sets of a prompt, without its secrets, until they are deleted', async () => {
    const app = await open({ RECORD_VARIABLES: '2' })
    try {
      for (const name of ['one', 'two', 'three'])
        await render(app, {
          name,
          token: 'canary',
          user: { password: 'canary' },
          list: [{ pin: 'canary', id: 1 }],
        })
      const { enabled, sets } = await recorded(app)
      expect([enabled, JSON.stringify(sets).includes('canary')]).toEqual([true, false])
      expect(sets.map(({ variables }: { variables: { name: string } }) => variables.name).sort()).toEqual([
        'three',
        'two',
      ])
      expect(sets[0].variables).toMatchObject({
        token: '***',
        user: { password: '***' },
        list: [{ pin: '***', id: 1 }],
      })
      expect((await recorded(app, '?last=1')).sets).toHaveLength(1)
      const removed = await app.server.inject({ method: 'DELETE', url: '/api/prompts/a.secret/variables' })
      expect(removed.json().removed).toBeGreaterThanOrEqual(2)
      expect((await recorded(app)).sets).toEqual([])
    } finally {
      await app.close()
    }
  })

  it('keeps nothing where it is off, or where chance decides so', async () => {
    for (const environment of [{}, { RECORD_VARIABLES: '2', RECORD_VARIABLES_PERCENT: '0' }]) {
      const app = await open(environment)
      try {
        await render(app, { name: 'one' })
        expect((await recorded(app)).sets).toEqual([])
      } finally {
        await app.close()
      }
    }
  })

  it('forgets what is older than its time', async () => {
    const app = await open({ RECORD_VARIABLES: '2', RECORD_VARIABLES_TTL_MS: '1000' })
    try {
      await render(app, { name: 'one' })
      expect((await recorded(app)).sets).toHaveLength(1)
      await waitUntil(async () => (await recorded(app)).sets.length === 0)
    } finally {
      await app.close()
    }
  })

  it('is for keys with the scope admin, of the prompts that they may use', async () => {
    const everything = ['read', 'render', 'inline', 'chat', 'agents', 'tasks', 'tools']
    const keys = createKeysFile([
      { name: 'everything', key: 'everything-but-admin-0', scopes: everything },
      { name: 'elsewhere', key: 'elsewhere-admin-000000', scopes: ['read', 'admin'], prompts: ['a.hello'] },
      { name: 'admin', key: 'admin-of-variables-000', scopes: ['read', 'admin'], prompts: ['a.secret'] },
    ])
    const app = await open({ RECORD_VARIABLES: '2', KEYS_FILE: keys.path })
    try {
      const ask = async (key: string, method: 'GET' | 'DELETE') => {
        const headers = { authorization: `Bearer ${key}` }
        return (await app.server.inject({ method, url: '/api/prompts/a.secret/variables', headers }))
          .statusCode
      }
      for (const method of ['GET', 'DELETE'] as const) {
        expect(await ask('everything-but-admin-0', method)).toBe(403)
        expect(await ask('elsewhere-admin-000000', method)).toBe(404)
        expect(await ask('admin-of-variables-000', method)).toBe(200)
      }
    } finally {
      await app.close()
      keys.dispose()
    }
  })

  it('is for keys of administrators; dependents are for those that read', async () => {
    const app = await open({ RECORD_VARIABLES: '2', API_KEYS: 'whole-key' })
    try {
      const ask = (url: string) => app.server.inject({ url, headers: { authorization: 'Bearer whole-key' } })
      expect((await app.server.inject('/api/prompts/a.secret/variables')).statusCode).toBe(401)
      expect((await ask('/api/prompts/a.secret/variables')).statusCode).toBe(200)
      expect((await ask('/api/prompts/a.nothing/variables')).statusCode).toBe(404)
      expect((await ask('/api/prompts/a.tone/dependents')).json()).toEqual({
        id: 'a.tone',
        prompts: [
          { id: 'a.hello', direct: true },
          { id: 'a.secret', direct: true },
        ],
        agents: [],
      })
    } finally {
      await app.close()
    }
  })
})
