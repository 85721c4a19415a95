import { expect, it } from 'vitest'
import { type SliceGuard, SliceStopped } from '../../../src/util/slices/slice.js'
import { startTestApp } from '../../support/test-app.js'

const DOCUMENTS = {
  'templates/p/small.json': { userPrompt: 'Hello {{.variables.name}}' },
  'templates/p/includes.json': { userPrompt: '{{template "p.smal" .}}' },
}
const SMALL = { variables: { name: 'Ann' } }

/** Asks once, while every slice of the request is stopped. */
async function whenStopped(url: string, request: object) {
  let isOn = false
  const guard: SliceGuard = (slice) => {
    if (isOn) throw new SliceStopped(60)
    return slice()
  }
  const service = await startTestApp(DOCUMENTS, {}, { guard })
  isOn = true
  const { status, body } = await service.post(url, request)
  const metrics = await service.app.server.inject('/metrics')
  await service.close()
  const stopped = /slices_stopped_total\{work="(\w+)",cause="long"\} 1/.exec(metrics.body)?.[1]
  return { status, code: body.error?.code, near: body.error?.details?.near, stopped }
}

it.each([
  { name: 'the check of an explanation', url: '/api/render/prompts/p.small?explain=true', request: SMALL },
  { name: 'a short text of a request', url: '/api/render', request: { prompt: { userPrompt: 'a' } } },
])('$name is guarded', async ({ url, request }) => {
  const { status, code } = await whenStopped(url, request)
  expect([status, code]).toEqual([503, 'render_limit'])
})

it('a short text of a request is stopped as what it is, before it is rendered', async () => {
  const { stopped } = await whenStopped('/api/render', { prompt: { userPrompt: 'a' } })
  expect(stopped).toBe('compile')
})

it('a search for what was meant that is stopped takes its suggestion away, not the answer', async () => {
  const plain = await startTestApp(DOCUMENTS)
  const usual = await plain.post('/api/render/prompts/p.includes', SMALL)
  await plain.close()
  expect(usual.body.error.details.near).toEqual(['p.small'])
  const stopped = await whenStopped('/api/render/prompts/p.includes', SMALL)
  expect(stopped).toMatchObject({ status: usual.status, code: usual.body.error.code, near: undefined })
})

it('a text of a request that was short a moment ago is rendered, whatever was stopped meanwhile', async () => {
  let isOn = false
  const guard: SliceGuard = (slice) => {
    if (isOn) throw new SliceStopped(60)
    return slice()
  }
  const service = await startTestApp(DOCUMENTS, {}, { guard })
  const render = async (userPrompt: string) => {
    const { status, body } = await service.post('/api/render', { prompt: { userPrompt }, ...SMALL })
    return [status, body.rendered_prompt ?? body.error.code]
  }
  // The first ones may be slow: their code was never compiled.
  for (let count = 0; count < 10; count += 1)
    expect(await render('Dear {{.variables.name}}')).toEqual([200, 'Dear Ann'])
  isOn = true
  // More than a tenth of ten seconds.
  for (let count = 0; count < 17; count += 1)
    expect(await render(`stopped ${count}`)).toEqual([503, 'render_limit'])
  isOn = false
  expect(await render('Dear {{.variables.name}}')).toEqual([200, 'Dear Ann'])
  expect(await render('never seen')).toEqual([503, 'overloaded'])
  await service.close()
})
