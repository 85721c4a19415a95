import { expect, it } from 'vitest'
import { startAttackedService } from './support/attack.js'
import { describeRows } from './support/describe-rows.js'
import { besideHostileRenders } from './support/fairness.js'
import { DOCUMENTS, ENVIRONMENT } from './support/http-attack.js'
import { TEMPLATES } from './tables/templates.js'

describeRows('templates', TEMPLATES)

it('healthy renders beside hostile ones are answered, and none fails', async () => {
  const service = await startAttackedService(DOCUMENTS, ENVIRONMENT)
  const { failures } = await besideHostileRenders(service.url, { hostile: 12, healthy: 100 })
  expect(failures).toEqual([])
  expect(await service.stop()).toBe(0)
})

it('a limit is not worth another try', async () => {
  const service = await startAttackedService()
  const answer = await fetch(`${service.url}/api/render`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ prompt: { userPrompt: '{{repeat 999999 "a"}}' } }),
  })
  expect(answer.status).toBe(503)
  expect(answer.headers.get('x-should-retry')).toBe('false')
  expect(answer.headers.get('retry-after')).toBeNull()
  expect(await service.stop()).toBe(0)
})
