import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { splitTests } from '../../../src/proof/improve/split-tests.js'
import type { PlacedTest } from '../../../src/proof/tested-prompts.js'
import {
  completion,
  failure,
  type RecordedRequest,
  type ScriptedUpstream,
  startScriptedUpstream,
} from '../../../src/testing/scripted-upstream.js'
import { type CatalogDirectory, createCatalogDirectory } from '../../support/catalog-directory.js'
import { runLocalTurn as cli } from '../../support/run-cli.js'

const NAMES = ['one', 'two', 'three', 'four', 'five', 'six']
const placed = NAMES.map((name) => ({ test: { name } }) as unknown as PlacedTest)
const heldOut = new Set(splitTests(placed, 30).heldOut.map(({ test }) => test.name))
/** A test asks for a word of its own part. */
const testsWith = (words: { readonly train: string; readonly heldOut: string }) =>
  JSON.stringify({
    prompt: 'a.greet',
    tests: NAMES.map((name) => ({
      name,
      vars: { name: `Person-${name}` },
      assert: [{ type: 'contains', value: heldOut.has(name) ? words.heldOut : words.train }],
    })),
  })
const TEXT = 'Greet {{.variables.name}}, always'

let upstream: ScriptedUpstream
beforeAll(async () => {
  upstream = await startScriptedUpstream()
})
afterAll(() => upstream.close())

let catalog: CatalogDirectory
beforeEach(() => {
  catalog = createCatalogDirectory({ 'templates/a/greet.json': { description: 'Greets', userPrompt: TEXT } })
})
afterEach(() => catalog.dispose())

const STATE = 'state.json'
const OUT = 'draft.yaml'
const place = (name: string) => join(catalog.path, '..', `${catalog.path.split('/').at(-1)}-${name}`)
afterEach(() => {
  for (const name of [STATE, OUT]) rmSync(place(name), { force: true })
})
const improve = (options: readonly string[] = [], environment: Record<string, string> = {}) =>
  cli(
    [
      'improve',
      'a.greet',
      '--catalog',
      catalog.path,
      '--state',
      place(STATE),
      '--out',
      place(OUT),
      ...options,
    ],
    { LLM_BASE_URL: upstream.url, LLM_MODEL: 'm', ...environment },
  )

const isAnswerToTool = ({ body }: RecordedRequest) => {
  const messages = body['messages'] as { role: string }[]
  return messages.at(-1)?.role === 'tool'
}
const isReflection = ({ text }: RecordedRequest) => text.includes('root_causes')

const isAnswer = ({ body, text }: RecordedRequest) =>
  body['tools'] === undefined && !text.includes('root_causes')
/** Tests of what a model answers. */
const answeredTests = () =>
  JSON.stringify({
    ...(JSON.parse(testsWith({ train: 'kindly', heldOut: 'kindly' })) as object),
    defaults: { answer: 'tape' },
  })

/** A model that tries these texts in one turn, which ends at `undefined`, and answers a test with what it was asked. */
function triesAtOnce(texts: readonly (string | undefined)[], used: number, usedByAnswer: number): void {
  const usage = (tokens: number) => ({
    usage: { prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens },
  })
  let next = 0
  upstream.script((request) => {
    if (isAnswer(request)) return completion(lastText(request), usage(usedByAnswer))
    if (isReflection(request))
      return completion('{"root_causes": [], "lessons_learned": [], "should_replan": true}', usage(used))
    const text = texts[next]
    next += 1
    return text === undefined ? completion('done', usage(used)) : callOf(text, usage(used), `call-${next}`)
  })
}

function lastText({ body }: RecordedRequest): string {
  return String((body['messages'] as { content: string }[]).at(-1)?.content)
}

/** A model that tries these texts, one a round. */
function tries(...texts: readonly string[]): void {
  let round = 0
  upstream.script((request) => {
    if (isReflection(request))
      return completion(
        '{"root_causes": ["the word is missing"], "lessons_learned": ["say it"], "should_replan": true}',
      )
    if (isAnswerToTool(request)) return completion('It says the word now.')
    const text = texts[Math.min(round, texts.length - 1)] ?? ''
    round += 1
    return callOf(text)
  })
}

function callOf(text: string, more: Readonly<Record<string, unknown>> = {}, id = `call-${text.length}`) {
  const call = { name: 'test_candidate', arguments: JSON.stringify({ text }) }
  return completion('', {
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: null,
          tool_calls: [{ id, type: 'function', function: call }],
        },
        finish_reason: 'tool_calls',
      },
    ],
    ...more,
  })
}

describe('improve', () => {
  it('finds a text that passes the tests it was given and those it never saw, and leaves the catalog alone', async () => {
    catalog.write('tests/a.test.yaml', testsWith({ train: 'kindly', heldOut: 'kindly' }))
    tries('Say hello to {{.variables.name}}', 'Greet {{.variables.name}} kindly')
    const { stdout, stderr, code } = await improve()
    expect([stdout, stderr, code]).toEqual([
      expect.stringMatching(
        /now +0\/\d +0\/\d +\d+\n(candidate.*\n)*candidate \d +(\d)\/\2 +(\d)\/\3 +\d+ {2}better\n/,
      ),
      expect.stringContaining('because the word is missing'),
      0,
    ])
    expect(stdout).toContain('2 candidates in 2 rounds (correctness)')
    expect(stdout).toContain('Nothing was published.')
    expect(readFileSync(place(OUT), 'utf8')).toBe(
      'description: Greets\nuserPrompt: Greet {{.variables.name}} kindly\n',
    )
    expect(readFileSync(join(catalog.path, 'templates/a/greet.json'), 'utf8')).toContain(TEXT)
    const asked = upstream.requests.map(({ text }) => text).join('\n')
    for (const name of NAMES)
      expect(asked.includes(`Person-${name}"`) || asked.includes(`Person-${name}\\`)).toBe(!heldOut.has(name))
    expect(asked).toContain('Lesson: say it')
  })

  it('does not choose a text that fails tests which it never saw', async () => {
    catalog.write('tests/a.test.yaml', testsWith({ train: 'kindly', heldOut: 'always' }))
    tries('Greet {{.variables.name}} kindly')
    const { stdout, code } = await improve(['--json'])
    expect(code).toBe(1)
    const { now, front, better } = JSON.parse(stdout)
    expect(now).toMatchObject({ train: { passed: 0 }, held_out: { passed: heldOut.size } })
    expect(front).toMatchObject([{ train: { passed: NAMES.length - heldOut.size }, held_out: { passed: 0 } }])
    expect([better, existsSync(place(OUT))]).toEqual([null, false])
  })

  it('continues where it was interrupted, and pays for nothing twice', async () => {
    catalog.write('tests/a.test.yaml', testsWith({ train: 'kindly', heldOut: 'kindly' }))
    upstream.script((request) => {
      if (isReflection(request)) return failure(400, 'gone')
      return isAnswerToTool(request) ? completion('done') : callOf('Say hello to {{.variables.name}}')
    })
    const interrupted = await improve()
    expect([interrupted.code, interrupted.stderr]).toEqual([1, expect.stringContaining('gone')])
    expect(upstream.requests).toHaveLength(3)
    tries('Greet {{.variables.name}} kindly')
    const { stdout, code } = await improve()
    expect([stdout, code]).toEqual([expect.stringContaining('2 candidates in 2 rounds'), 0])
    expect(upstream.requests.map(isReflection)).toEqual([true, false, false])
    // Everything is known by now.
    const again = await improve()
    expect([again.stdout, upstream.requests.length]).toEqual([stdout, 3])
  })

  it('ends when its tokens are used up', async () => {
    catalog.write('tests/a.test.yaml', testsWith({ train: 'kindly', heldOut: 'kindly' }))
    tries('Say hello to {{.variables.name}}')
    const { stdout, code } = await improve(['--max-tokens', '1', '--json'])
    expect([JSON.parse(stdout).ended_by, code]).toEqual(['budget', 1])
    expect(upstream.requests.some(isReflection)).toBe(false)
  })

  it('judges candidates by all assertions but those that hold a text to what it was', async () => {
    const held = { type: 'renders', value: 'head' }
    const tests = JSON.parse(testsWith({ train: 'kindly', heldOut: 'kindly' })) as object
    catalog.write(
      'tests/a.test.yaml',
      JSON.stringify({ ...tests, defaults: { assert: [{ type: 'snapshot' }, held] } }),
    )
    tries('Greet {{.variables.name}} kindly')
    expect(await improve()).toMatchObject({ code: 0, stdout: expect.stringContaining('better') })
  })

  it('is not done while one of many tests fails', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `case ${index}`)
    const { train } = splitTests(
      names.map((name) => ({ test: { name } }) as unknown as PlacedTest),
      30,
    )
    const hard = train[0]?.test.name
    const tests = names.map((name) => ({
      name,
      vars: { name: 'x' },
      assert: [{ type: 'contains', value: name === hard ? 'kindly' : 'hello' }],
    }))
    catalog.write('tests/a.test.yaml', JSON.stringify({ prompt: 'a.greet', tests }))
    tries('Say hello to {{.variables.name}}', 'Say hello kindly to {{.variables.name}}')
    const { stdout, code } = await improve()
    expect([stdout, code]).toEqual([expect.stringContaining('2 candidates in 2 rounds (correctness)'), 0])
  })

  it('asks for no answer twice: of a text that was tried, and of one that it ends with', async () => {
    catalog.write('tests/a.test.yaml', answeredTests())
    // The second round tries the text of the first one again.
    triesAtOnce(['Greet nobody', undefined, 'Greet nobody', 'Greet {{.variables.name}} kindly'], 1, 1)
    const { stdout, code } = await improve()
    expect([stdout, code]).toEqual([expect.stringContaining('2 candidates in 2 rounds'), 0])
    // What there is and both candidates, each once with all tests: the short one is on the front, too.
    expect(upstream.requests.filter(isAnswer)).toHaveLength(3 * NAMES.length)
    await improve()
    expect(upstream.requests.filter(isAnswer)).toHaveLength(3 * NAMES.length)
  })

  it('counts answers to tests as tokens: no candidate is tested without any left', async () => {
    catalog.write('tests/a.test.yaml', answeredTests())
    const trained = NAMES.length - heldOut.size
    triesAtOnce(['Say a', 'Say ab', 'Say abc'], 1, 100)
    await improve(['--max-tokens', String(trained * 200)])
    const refused = upstream.requests.filter(({ text }) => text.includes('budget of tokens is used up'))
    expect(refused.length).toBeGreaterThan(0)
    // What there is, and the only candidate that was tested.
    expect(upstream.requests.filter(isAnswer).length).toBe(2 * NAMES.length)
  })

  it('counts answers to tests as tokens: the model gets what is left', async () => {
    catalog.write('tests/a.test.yaml', answeredTests())
    const trained = NAMES.length - heldOut.size
    triesAtOnce(['Say a'], trained * 60, 100)
    const { stdout } = await improve(['--max-tokens', String(trained * 150), '--rounds', '1', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ ended_by: 'budget' })
  })

  it.each([
    { name: 'nothing that is an object', text: '[]', message: 'is not a file that improve wrote' },
    { name: 'no JSON', text: '{', message: 'cannot be read' },
  ])('refuses a state that is $name', async ({ text, message }) => {
    catalog.write('tests/a.test.yaml', testsWith({ train: 'kindly', heldOut: 'kindly' }))
    writeFileSync(place(STATE), text)
    expect(await improve()).toMatchObject({ code: 2, stderr: expect.stringContaining(message) })
  })

  it('refuses files of tests with mistakes, and prompts that no test renders', async () => {
    catalog.write('tests/a.test.yaml', JSON.stringify({ prompt: 'a.greet', testz: [] }))
    expect(await improve()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('unknown field "testz"'),
    })
    catalog.write('tests/a.test.yaml', testsWith({ train: 'x', heldOut: 'x' }).replace('a.greet', 'a.other'))
    catalog.write('templates/a/other.json', JSON.stringify({ userPrompt: 'Other' }))
    expect(await improve()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no test renders a.greet'),
    })
  })

  it('explains what is missing: the name of a model', async () => {
    catalog.write('tests/a.test.yaml', testsWith({ train: 'kindly', heldOut: 'kindly' }))
    const { code, stderr } = await cli(
      ['improve', 'a.greet', '--catalog', catalog.path, '--state', place(STATE)],
      { LLM_BASE_URL: upstream.url },
    )
    expect([code, stderr]).toEqual([2, expect.stringContaining('improve needs a model')])
  })

  it.each([
    { name: 'a prompt that is not there', args: ['improve', 'a.gret'], text: 'there is no prompt a.gret' },
    { name: 'no model', args: ['improve', 'a.greet'], text: 'improve needs a model' },
    {
      name: 'rounds',
      args: ['improve', 'a.greet', '--rounds', '0'],
      text: '--rounds 0: a number from 1 to 100',
    },
  ])('explains what is missing: $name', async ({ args, text }) => {
    catalog.write('tests/a.test.yaml', testsWith({ train: 'kindly', heldOut: 'kindly' }))
    const { code, stderr } = await cli([...args, '--catalog', catalog.path, '--state', place(STATE)], {})
    expect([code, stderr]).toEqual([2, expect.stringContaining(text)])
  })

  it('wants two tests, and a state of these tests', async () => {
    const one = { name: 'one', vars: { name: 'x' }, assert: [{ type: 'contains', value: 'y' }] }
    catalog.write('tests/a.test.yaml', JSON.stringify({ prompt: 'a.greet', tests: [one] }))
    expect(await improve()).toMatchObject({ code: 2, stderr: expect.stringContaining('so it needs two') })
    catalog.write('tests/a.test.yaml', testsWith({ train: 'kindly', heldOut: 'kindly' }))
    tries('Greet {{.variables.name}} kindly')
    expect((await improve()).code).toBe(0)
    catalog.write('tests/a.test.yaml', testsWith({ train: 'warmly', heldOut: 'kindly' }))
    expect(await improve()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the prompt or its tests changed since'),
    })
  })
})
