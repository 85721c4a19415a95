import { afterEach, expect, inject, it } from 'vitest'
import { createScriptedModel } from '../../../src/testing/scripted-model.js'
import { createCatalogDirectory } from '../../support/catalog-directory.js'
import { runLocalTurn, startCli } from '../../support/run-cli.js'
import { evaluation, phaseOf } from '../../support/task-setup.js'
import { startTestApp, type TestApp } from '../../support/test-app.js'
import { waitUntil } from '../../support/wait-until.js'

let service: TestApp | undefined
afterEach(async () => {
  await service?.close()
  service = undefined
})

async function serve(correctness: number, environment: Record<string, string> = {}, turnMs = 0) {
  const model = createScriptedModel([
    (request) => {
      const phase = phaseOf(request)
      if (phase === 'turn') return { text: 'hello', delayMs: turnMs }
      if (phase === 'reflect') return '{"should_replan":true}'
      return JSON.stringify(
        phase === 'evaluate'
          ? evaluation(correctness, correctness)
          : { steps: [{ description: `greet ${Math.random()}` }] },
      )
    },
  ])
  service = await startTestApp({}, { LLM_MODEL: 'scripted', ...environment }, { model })
  return service.app.server.listen({ port: 0, host: '127.0.0.1' })
}

it.each([
  { correctness: 98, code: 0, end: 'completed: correctness after 1 round' },
  { correctness: 40, code: 3, end: 'exhausted: max_rounds after 5 rounds' },
])('tells what happens at a server and ends with $code', async ({ correctness, code, end }) => {
  const url = await serve(correctness)
  const told = await runLocalTurn(['task', 'greet', '--url', url])
  expect(told).toMatchObject({ code, stdout: 'hello\n' })
  expect(told.stderr).toContain('round 1: plan\n')
  expect(told.stderr).toContain('  step_1: completed\n')
  expect(told.stderr).toContain(end)
  const id = /^task (\S+)$/m.exec(told.stderr)?.[1] ?? ''
  const again = await runLocalTurn(['task', 'watch', id, '--url', url, '--json'])
  expect(again.code).toBe(code)
  expect(JSON.parse(again.stdout.trim().split('\n').at(-1) ?? '')).toHaveProperty('result.ended_by')
})

it('says that echo cannot plan, and what to set', async () => {
  const { path, dispose } = createCatalogDirectory()
  const told = await runLocalTurn(['task', 'greet'], { CATALOG_DIR: path })
  dispose()
  expect(told.code).toBe(1)
  expect(told.stderr).toContain(
    'the echo model only repeats what it is asked: set LLM_BASE_URL and LLM_MODEL',
  )
  expect(told.stderr.match(/the echo model only repeats/g)).toHaveLength(1)
})

it('ends with 4 when the time of the task is over', async () => {
  const url = await serve(98, { TASK_TIMEOUT_MS: '1000' }, 20_000)
  const told = await runLocalTurn(['task', 'greet', '--url', url])
  expect(told).toMatchObject({ code: 4, stdout: '\n' })
  expect(told.stderr).toContain('timed_out: timeout after 1 round')
})

it('ends with 5 when somebody cancels the task', async () => {
  const url = await serve(98, {}, 20_000)
  const running = startCli(['task', 'greet', '--url', url])
  await waitUntil(() => running.stderr().includes('step_1: running'), 'the step')
  const id = /^task (\S+)$/m.exec(running.stderr())?.[1]
  expect(await runLocalTurn(['task', 'cancel', String(id), '--url', url])).toMatchObject({
    code: 0,
    stdout: `task ${id}: cancelled\n`,
  })
  expect(await running.code).toBe(5)
  expect(running.stderr()).toContain('cancelled: cancelled after 1 round')
})

it('draws one picture again and again where there is a terminal', async () => {
  const url = await serve(98)
  let written = ''
  const screen = {
    ...{ columns: 60, rows: 20, colors: false },
    write: (text: string) => {
      written += text
    },
  }
  const running = startCli(['task', 'greet', '--url', url], {}, { screen })
  expect(await running.code).toBe(0)
  const pictures = written.split('\u001b[J')
  expect(pictures.at(-1)).toMatch(
    /^greet\nround 1 · \w+\n {2}✓ step_1 {2}greet .*\n {2}overall 98 · .*\ncompleted: correctness after 1 round\n$/,
  )
  // Each goes back over exactly the lines of the one before.
  for (const [index, picture] of pictures.entries()) {
    const back = /\u001b\[(\d+)A$/.exec(picture)?.[1]
    if (back !== undefined)
      expect(picture.slice(0, picture.lastIndexOf('\n') + 1).split('\n')).toHaveLength(Number(back) + 1)
    else expect([0, pictures.length - 1]).toContain(index)
  }
  expect(running.stdout()).toBe('hello\n')
  expect(running.stderr()).not.toContain('round')
})

it('leaves the work to a worker, which ends in order with a signal', async () => {
  const shared = {
    STATE_URL: inject('redisUrl'),
    KEY_PREFIX: `worker-${Math.random().toString(36).slice(2)}`,
  }
  const url = await serve(98, { ...shared, TASK_CONCURRENCY: '0' })
  const plan = { steps: [{ description: 'greet' }] }
  const created = await fetch(`${url}/api/tasks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ description: 'greet', plan, config: { enable_auto_reflection: false } }),
  })
  const { id } = (await created.json()) as { readonly id: string }
  const catalog = createCatalogDirectory({})
  const end = new AbortController()
  const ignored = () => {}
  const signals = { end: end.signal, release: ignored, finish: ignored, ask: ignored, onHangup: ignored }
  const environment = { CATALOG_DIR: catalog.path, ...shared, LOG_LEVEL: 'silent' }
  const worker = startCli(['worker'], environment, { signals })
  const watched = await runLocalTurn(['task', 'watch', id, '--url', url])
  // Its model is an echo, which cannot judge what was done.
  expect(watched.stderr).toContain('step_1: completed')
  expect(watched).toMatchObject({ code: 0 })
  end.abort('SIGTERM')
  expect(await worker.code).toBe(0)
  catalog.dispose()
})

it('works in this process, where an echo for a model makes no plan', async () => {
  const catalog = createCatalogDirectory({})
  const told = await runLocalTurn(['task', 'greet'], { CATALOG_DIR: catalog.path })
  catalog.dispose()
  expect(told.code).toBe(1)
  expect(told.stderr).toContain('failed: error after 1 round, llm_bad_response')
})

it.each([
  { args: ['task'], problem: 'missing' },
  { args: ['task', 'a', 'b'], problem: 'in quotes' },
  { args: ['task', 'cancel'], problem: 'missing <id>: task cancel <id>' },
  { args: ['task', 'a', '--metadata', '[1]'], problem: 'must be a JSON object' },
  { args: ['worker'], problem: 'needs STATE_URL or REDIS_URL' },
  {
    args: ['worker'],
    environment: { REDIS_URL: 'redis://127.0.0.1:1', TASK_CONCURRENCY: '0' },
    problem: 'nothing to do',
  },
])('refuses $args', async ({ args, environment = {}, problem }) => {
  const told = await runLocalTurn(args, environment)
  expect(told.code).toBe(2)
  expect(told.stderr).toContain(problem)
})
