import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  completion,
  failure,
  type ScriptedUpstream,
  startScriptedUpstream,
} from '../../../src/testing/scripted-upstream.js'
import { type CatalogDirectory, createCatalogDirectory } from '../../support/catalog-directory.js'
import { runLocalTurn as cli } from '../../support/run-cli.js'

const KEY = 'sk-canary-of-tests-71c2'
const TESTS = `
prompt: a.hello
defaults: { answer: tape }
tests:
  - name: says hello
    vars: { name: Ada }
    assert:
      - { type: is-json }
      - { type: contains, value: "{{name}} was greeted" }
      - { type: finish-reason, value: stop }
      - { type: cost, threshold: 1 }
      - { type: llm-rubric, value: is kind, provider: "openai:chat:judge" }
      - { type: not-llm-rubric, value: is rude }
      - { type: roles, value: [user] }
      - { type: snapshot }
  - name: calls
    vars: { name: Bob }
    assert: [{ type: is-valid-openai-tools-call }, { type: finish-reason, value: tool_calls }, { type: calls, value: [] }]
  - { name: refused, vars: { name: Eve }, assert: [{ type: error, value: { code: llm_rejected, message: too long } }] }
  - { name: the render, vars: { name: Ida }, answer: none, assert: [{ type: equals, value: Greet Ida }] }
`
const calls = [{ id: 'c1', type: 'function', function: { name: 'code_refs', arguments: '{"symbol":"x"}' } }]

let upstream: ScriptedUpstream
beforeAll(async () => {
  upstream = await startScriptedUpstream()
})
afterAll(() => upstream.close())

let catalog: CatalogDirectory
beforeEach(() => {
  catalog = createCatalogDirectory({
    'templates/a/hello.yaml': {
      userPrompt: 'Greet {{.variables.name}}',
      parameters: [{ name: 'name', type: 'string' }],
      tools: ['code.refs'],
    },
    'tools/code/refs.yaml': {
      url: 'http://127.0.0.1:9/refs',
      parameters: [{ name: 'symbol', type: 'string' }],
    },
  })
  catalog.write('tests/a.test.yaml', TESTS)
})
afterEach(() => catalog.dispose())

const test = (environment: Record<string, string>, ...options: string[]) =>
  cli(['test', catalog.path, '--catalog', catalog.path, ...options], environment)
const model = () => ({ LLM_BASE_URL: upstream.url, LLM_API_KEY: KEY, LLM_MODEL: 'm', CONFIG_FILE: priced() })
const priced = () => {
  catalog.write('config.yaml', 'prices: { m: { input: 1, output: 1 } }\n')
  return join(catalog.path, 'config.yaml')
}

/** Answers by what is asked. */
function script(): void {
  upstream.script(({ text, body }) => {
    if (body['model'] === 'judge')
      return completion('```json\n{"reason": "it is", "pass": true, "score": 0.9}\n```')
    if (text.includes('is rude')) return completion('{"reason": "it is not", "pass": false, "score": 0}')
    if (text.includes('Bob'))
      return completion('', {
        choices: [
          {
            index: 0,
            message: { role: 'assistant', content: null, tool_calls: calls },
            finish_reason: 'tool_calls',
          },
        ],
      })
    if (text.includes('Eve')) return failure(400, `too long, says ${KEY}`)
    return completion('{"text": "Ada was greeted"}')
  })
}

describe('answer: tape', () => {
  it('judges what a model answered once, without it and without a key', async () => {
    script()
    const recorded = await test(model(), '--record', '--update')
    expect([recorded.stdout, recorded.code]).toEqual([expect.stringContaining('4 passed, 0 failed'), 0])
    expect(upstream.requests.map(({ body }) => body['model'])).toEqual(['m', 'judge', 'm', 'm', 'm'])
    const folder = join(catalog.path, 'tests/__tapes__')
    const tapes = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
    expect(tapes).toHaveLength(5)
    expect(tapes.filter((text) => text.includes(KEY) || text.includes(KEY.slice(8)))).toEqual([])
    expect(tapes.some((text) => text.includes('says ***'))).toBe(true)
    const asked = upstream.requests.length
    const { CONFIG_FILE } = model()
    const replayed = await test({ CONFIG_FILE, CI: 'true' })
    // A model that no price names has no cost; nothing else depends on who recorded.
    expect(replayed.stdout).toContain('1 failed')
    expect(replayed.stdout).toContain('the cost is not known')
    expect((await test({ CONFIG_FILE, LLM_MODEL: 'm' }, '--grep', 'calls|refused|render')).code).toBe(0)
    expect(upstream.requests.length).toBe(asked)
  })

  it('fails where a prompt asks something else, and says which words differ', async () => {
    script()
    await test(model(), '--record', '--update')
    catalog.write(
      'templates/a/hello.yaml',
      JSON.stringify({
        userPrompt: 'Kindly greet {{.variables.name}}',
        parameters: [{ name: 'name', type: 'string' }],
        tools: ['code.refs'],
      }),
    )
    const { stdout, code } = await test({}, '--grep', 'says hello|calls')
    expect(code).toBe(1)
    expect(stdout).toMatch(/there is no answer: tape_miss: .*it differs in - Greet \+ Kindly/)
    expect(stdout).toContain('the output differs from its snapshot')
  })

  it('explains what is missing', async () => {
    expect(await test({}, '--record')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--record needs a model: set LLM_BASE_URL'),
    })
    expect((await test({})).stdout).toMatch(
      /the folder has no other of its endpoint; record it: .*test --record/,
    )
    catalog.write(
      'tests/a.test.yaml',
      'prompt: a.hello\ntests:\n  - { vars: { name: A }, answer: live, assert: [{ type: contains, value: A }] }\n',
    )
    expect((await test({})).stdout).toMatch(/a\.test\.yaml:3:\d+ answer must be tape or none/)
    catalog.write(
      'tests/a.test.yaml',
      'prompt: a.hello\ntests: [{ vars: { name: A }, assert: [{ type: llm-rubric, value: x }] }]\n',
    )
    upstream.script(completion('I would say yes'))
    expect((await test(model(), '--record')).stdout).toContain('the model gave no grade: I would say yes')
  })
})
