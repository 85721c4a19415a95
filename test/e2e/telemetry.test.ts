import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { eventually } from '../support/eventually.js'
import { startService } from '../support/service-process.js'

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
