import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { documentBlocks } from '../support/document-blocks.js'
import { eventually } from '../support/eventually.js'
import { freePort } from '../support/free-port.js'
import { startOtlpReceiver } from '../support/otlp-receiver.js'
import { startService, waitUntilReady } from '../support/service-process.js'

const preload = pathToFileURL(resolve(import.meta.dirname, '../support/span-preload.mjs')).href

it('an SDK that is loaded before the service gets its spans', async () => {
  const service = await startService({}, preload)
  const spans: unknown[] = []
  service.child.on('message', (message) => spans.push(message))
  const answer = await fetch(`${service.url}/api/render`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ prompt: { name: 'x', userPrompt: 'x' } }),
  })
  expect(answer.status).toBe(200)
  await eventually(() => spans).toEqual([{ span: 'render inline' }, { span: 'POST /api/render' }])
  expect((await service.stop()).code).toBe(0)
})

/** What a page says to run, with a service of its own and a receiver in the place of what it names. */
async function runRecipe(environment: string, more: Readonly<Record<string, string>>) {
  const root = resolve(import.meta.dirname, '../..')
  const project = mkdtempSync(join(tmpdir(), 'aps-spans-'))
  mkdirSync(join(project, 'node_modules'))
  symlinkSync(root, join(project, 'node_modules/ai-prompt-shell'))
  symlinkSync(join(root, 'node_modules/@opentelemetry'), join(project, 'node_modules/@opentelemetry'))
  const page = documentBlocks('js', 'sh').filter(({ file }) => file === 'docs/guides/telemetry.md')
  const preload = page.find(({ code }) => code.startsWith('// spans.mjs'))?.code ?? ''
  writeFileSync(join(project, 'spans.mjs'), preload)
  const run = page.flatMap(({ code }) => /^node --import .*$/m.exec(code) ?? [])[0]
  const port = await freePort()
  const child = spawn('sh', ['-c', `${environment}\nexec ${run}`], {
    cwd: project,
    env: {
      PATH: process.env['PATH'],
      PORT: String(port),
      WARM_UP: 'false',
      OTEL_BSP_SCHEDULE_DELAY: '50',
      ...more,
    },
    stdio: 'ignore',
  })
  const finished = once(child, 'close').then(([code]) => ({ code, stdout: '', stderr: '' }))
  const url = `http://127.0.0.1:${port}`
  await waitUntilReady(url, finished)
  return {
    url,
    async stop() {
      child.kill()
      const { code } = await finished
      rmSync(project, { recursive: true })
      return code
    },
  }
}

/** Sampled by the caller, which the recipe's one of a hundred does not overrule. */
const SAMPLED = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

describe('the recipes, over OTLP', () => {
  const recipes = documentBlocks('sh').filter(({ code }) => code.includes('OTEL_EXPORTER_OTLP_ENDPOINT'))
  const basic = Buffer.from('pk:sk').toString('base64')

  it('are those for collectors and for Langfuse', () => {
    expect(recipes).toHaveLength(2)
  })

  it.each([
    { name: 'a collector, or Jaeger', recipe: 0, path: '/v1/traces', headers: {} },
    {
      name: 'Langfuse',
      recipe: 1,
      path: '/api/public/otel/v1/traces',
      headers: { authorization: `Basic ${basic}`, 'x-langfuse-ingestion-version': '4' },
    },
  ])(
    '$name gets the spans',
    async ({ recipe, path, headers }) => {
      const receiver = await startOtlpReceiver()
      const lines = (recipes[recipe]?.code ?? '').replace(
        /https?:\/\/[\w.:]+/,
        `http://127.0.0.1:${receiver.port}`,
      )
      const service = await runRecipe(lines, { LANGFUSE_PUBLIC_KEY: 'pk', LANGFUSE_SECRET_KEY: 'sk' })
      const answer = await fetch(`${service.url}/api/render`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', traceparent: SAMPLED },
        body: JSON.stringify({ prompt: { name: 'x', userPrompt: 'x' } }),
      })
      expect(answer.status).toBe(200)
      const spans = () => receiver.received.flatMap((each) => each.spans)
      await eventually(() => spans().map(({ name }) => name)).toEqual(['render inline', 'POST /api/render'])
      expect(new Set(spans().map(({ traceId }) => traceId))).toEqual(new Set([SAMPLED.split('-')[1]]))
      expect(spans()[1]?.attributes).toMatchObject({ 'http.response.status_code': 200 })
      expect(receiver.received[0]).toMatchObject({ path, headers })
      expect(await service.stop()).toBe(0)
      await receiver.close()
    },
    60_000,
  )
})

it('with SPAN_CONTENTS they hold what is said, and none of the service’s own secrets', async () => {
  const receiver = await startOtlpReceiver()
  const service = await runRecipe(`export OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:${receiver.port}`, {
    SPAN_CONTENTS: 'true',
    API_KEYS: 'the-key-of-mine',
    LLM_MODEL: 'echo',
  })
  const answer = await fetch(`${service.url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: 'Bearer the-key-of-mine',
      traceparent: SAMPLED,
    },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'is the-key-of-mine a key?' }] }),
  })
  expect(answer.status).toBe(200)
  const chat = () =>
    receiver.received.flatMap(({ spans }) => spans).find(({ name }) => name === 'chat echo')?.attributes
  await eventually(() => chat()).toMatchObject({
    'gen_ai.input.messages': '[{"role":"user","content":"is *** a key?"}]',
    'gen_ai.output.messages': expect.stringContaining('is *** a key?'),
  })
  expect(await service.stop()).toBe(0)
  await receiver.close()
}, 60_000)
