import { afterEach, describe, expect, it } from 'vitest'
import { createScriptedModel } from '../../../src/testing/scripted-model.js'
import type { Tracer } from '../../../src/util/telemetry/tracer.js'
import { collectSpans } from '../../support/spans.js'
import { testAgents } from '../../support/test-agents.js'
import { startTestApp, type TestApp } from '../../support/test-app.js'

let app: TestApp
afterEach(() => app.close())

async function start(tracer: Tracer | undefined): Promise<void> {
  const add = { name: 'add', readOnly: true, execute: () => 5 }
  const asking = { toolCalls: [{ name: 'add', arguments: {} }] }
  app = await startTestApp(
    {},
    {},
    {
      agents: testAgents(new Map([['helper', { tools: [add] }]])),
      model: createScriptedModel([asking, 'it is five']),
      ...(tracer !== undefined && { tracer }),
    },
  )
}

/** As programs test what they embed: without a socket. */
async function injected(url: string, payload?: object): Promise<string> {
  const { app: service } = app
  const response = await service.server.inject({
    url,
    method: payload === undefined ? 'GET' : 'POST',
    ...(payload !== undefined && { payload }),
  })
  return response.body
}

const said = { id: 'm', role: 'user', parts: [{ type: 'text', text: 'go' }] }
const agUi = {
  ...{ threadId: 's', runId: 'r', tools: [], context: [], state: {}, forwardedProps: {} },
  messages: [{ id: 'm', role: 'user', content: 'go' }],
}

describe.each([
  ['without a tracer', false],
  ['under a tracer', true],
])('a stream ends where nobody opens a socket, %s', (_name, isTraced) => {
  it.each<[string, () => Promise<string>, string]>([
    [
      'POST …/turns',
      () => injected('/api/sessions/s/turns', { input: 'go', stream: true }),
      'event: turn.completed',
    ],
    [
      'GET …/turns/1/events',
      async () => {
        await injected('/api/sessions/s/turns', { input: 'go' })
        return injected('/api/sessions/s/turns/1/events')
      },
      'event: turn.completed',
    ],
    ['POST …/ui', () => injected('/api/agents/helper/ui', { id: 's', messages: [said] }), 'data: [DONE]'],
    ['POST …/ag-ui', () => injected('/api/agents/helper/ag-ui', agUi), 'RUN_FINISHED'],
    [
      'POST /v1/chat/completions',
      () =>
        injected('/v1/chat/completions', {
          ...{ model: 'agent:helper', stream: true, messages: [{ role: 'user', content: 'go' }] },
        }),
      'data: [DONE]',
    ],
  ])('%s', async (_way, ask, last) => {
    await start(isTraced ? collectSpans().tracer : undefined)
    await injected('/api/sessions', { agent: 'helper', id: 's' })
    const text = await ask()
    expect(text).toContain('five')
    expect(text).toContain(last)
  })
})
