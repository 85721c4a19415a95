import { afterEach, expect, it } from 'vitest'
import { createScriptedModel } from '../../../src/testing/scripted-model.js'
import { createCatalogDirectory } from '../../support/catalog-directory.js'
import { runInProcess } from '../../support/run-cli.js'
import { evaluation, phaseOf } from '../../support/task-setup.js'
import { startTestApp, type TestApp } from '../../support/test-app.js'

let service: TestApp | undefined
afterEach(async () => {
  await service?.close()
  service = undefined
})

async function serve(correctness: number) {
  const model = createScriptedModel([
    (request) => {
      const phase = phaseOf(request)
      if (phase === 'turn') return 'hello'
      if (phase === 'reflect') return '{"should_replan":true}'
      return JSON.stringify(
        phase === 'evaluate'
          ? evaluation(correctness, correctness)
          : { steps: [{ description: `greet ${Math.random()}` }] },
      )
    },
  ])
  service = await startTestApp({}, { LLM_MODEL: 'scripted' }, { model })
  return service.app.server.listen({ port: 0, host: '127.0.0.1' })
}

it.each([
  { correctness: 98, code: 0, end: 'completed: correctness after 1 rounds' },
  { correctness: 40, code: 3, end: 'exhausted: max_rounds after 5 rounds' },
])('tells what happens at a server and ends with $code', async ({ correctness, code, end }) => {
  const url = await serve(correctness)
  const told = await runInProcess(['task', 'greet', '--url', url])
  expect(told).toMatchObject({ code, stdout: 'hello\n' })
  expect(told.stderr).toContain('round 1: plan\n')
  expect(told.stderr).toContain('  step_1: completed\n')
  expect(told.stderr).toContain(end)
  const id = /^task (\S+)$/m.exec(told.stderr)?.[1] ?? ''
  const again = await runInProcess(['task', 'watch', id, '--url', url, '--json'])
  expect(again.code).toBe(code)
  expect(JSON.parse(again.stdout.trim().split('\n').at(-1) ?? '')).toHaveProperty('result.ended_by')
})

it('works in this process, where an echo for a model makes no plan', async () => {
  const catalog = createCatalogDirectory({})
  const told = await runInProcess(['task', 'greet'], { CATALOG_DIR: catalog.path })
  catalog.dispose()
  expect(told.code).toBe(1)
  expect(told.stderr).toContain('failed: consecutive_failures after 3 rounds, task_failed')
})

it.each([
  { args: ['task'], problem: 'missing' },
  { args: ['task', 'a', 'b'], problem: 'in quotes' },
  { args: ['task', 'a', '--metadata', '[1]'], problem: 'must be a JSON object' },
  { args: ['worker'], problem: 'needs STATE_URL or REDIS_URL' },
])('refuses $args', async ({ args, problem }) => {
  const told = await runInProcess(args)
  expect(told.code).toBe(2)
  expect(told.stderr).toContain(problem)
})
