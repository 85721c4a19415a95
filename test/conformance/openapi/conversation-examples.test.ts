import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { App } from '../../../src/app.js'
import { createScriptedModel } from '../../../src/testing/scripted-model.js'
import { buildTestApp } from '../../support/build-test-app.js'
import { noteReadHeaders, undocumented } from '../../support/documented-answers.js'
import { publishedApi } from '../../support/published-api.js'
import { type Replicas, startReplicas } from '../../support/replicas.js'
import { evaluation, phaseOf } from '../../support/task-setup.js'
import type { Json } from '../../support/test-app.js'
import { waitUntil } from '../../support/wait-until.js'

const document: Json = publishedApi()

/** What `examples.test.ts` cannot ask in any order. */
const REMEMBERS = /^\/api\/(sessions|approvals|tasks)|\/(ui|ag-ui)\b/

interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly status: string
  readonly body?: Json
  readonly answer?: Json
}

const operations: readonly Operation[] = Object.entries<Json>(document.paths)
  .filter(([path]) => REMEMBERS.test(path))
  .flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(
      ([method, { operationId, parameters = [], requestBody, responses }]) => {
        const status = Object.keys(responses).find((each) => each.startsWith('2')) as string
        return {
          id: operationId,
          method: method.toUpperCase(),
          path: parameters.reduce((text: string, { name, example, in: place }: Json) => {
            if (place !== 'path') return text
            expect(example, `${path} ${name}`).toBeDefined()
            return text.replace(`{${name}}`, encodeURIComponent(example))
          }, path),
          status,
          body: requestBody?.content['application/json'].example,
          answer: responses[status].content?.['application/json']?.example,
        }
      },
    ),
  )

const CONVERSATION = [
  ...['createSession', 'listSessions', 'getSession', 'runTurn', 'getTurn', 'followTurn', 'cancelTurn'],
  ...['listMessages', 'setMemory', 'getMemory', 'listMemory', 'createContext', 'getContext', 'listContexts'],
  ...[
    'shareContextSummary',
    'switchContext',
    'updateSession',
    'deleteMemory',
    'clearMemory',
    'streamUiMessages',
    'runAgUi',
  ],
]
const ENDING = ['deleteContext', 'deleteSession']
const APPROVALS = ['listApprovals', 'decideApproval']
const TASKS = ['createTask', 'getTask', 'listTasks', 'followTask', 'cancelTask']
/** When everything else has been said of the task. */
const LAST = ['deleteTask']
/** A stream that has no end: test/integration/sessions/approvals.test.ts. */
const ENDLESS = ['followApprovals']
/** Answer 204 and 409 here: nothing runs that could be resumed. */
const NOTHING_TO_RESUME = ['resumeUiMessages', 'resumeTask']

const JSON_BODY = { 'content-type': 'application/json' }
const operation = (id: string) => operations.find((each) => each.id === id) as Operation

/** Asks what the example asks, and compares what it shows. */
async function replay(
  url: string,
  id: string,
  change: (text: string) => string = (text) => text,
): Promise<Json> {
  const { method, path, body, answer, status } = operation(id)
  const response = await fetch(url + change(id === 'listApprovals' ? `${path}?session=trip` : path), {
    method,
    ...(body !== undefined && { headers: JSON_BODY, body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const headers = Object.fromEntries(response.headers)
  expect(undocumented({ method, url: change(path), status: response.status, headers, text })).toEqual([])
  expect([response.status, text.slice(0, 300)]).toEqual([Number(status), expect.anything()])
  if (answer === undefined) return undefined
  expect(settled(JSON.parse(text))).toEqual(settled(answer))
  return JSON.parse(text)
}

/** Of all services here: which headers they read that no document names. */
const read: ReadonlySet<string>[] = []
afterAll(() => expect(read.flatMap((each) => [...each])).toEqual([]))

async function listen(app: App): Promise<string> {
  read.push(noteReadHeaders(app.server.server))
  await app.registry.whenReady()
  return app.server.listen({ port: 0, host: '127.0.0.1' })
}

/** Ids that are made up and times differ each time: what is left is there, and of the same type. */
function settled(value: Json): Json {
  const volatile = /^[0-9a-f-]{32,36}$|^\d{4}-\d\d-\d\dT[\d:.]+Z$/
  return JSON.parse(JSON.stringify(value), (_, each) => (volatile.test(String(each)) ? '…' : each))
}

it('has its place in one of these stories', () => {
  const told = [...CONVERSATION, ...ENDING, ...APPROVALS, ...TASKS, ...LAST, ...NOTHING_TO_RESUME, ...ENDLESS]
  expect([...told].sort()).toEqual(operations.map(({ id }) => id).sort())
})

it('shows an answer wherever there is one in JSON', () => {
  const silent = operations.filter(
    ({ answer, status, path }) => !answer && status !== '204' && !/events|ui/.test(path),
  )
  expect(silent.map(({ id }) => id)).toEqual([])
})

describe('a conversation over the bundled catalog', () => {
  let app: App
  let url = ''
  beforeAll(async () => {
    app = await buildTestApp()
    url = await listen(app)
  })
  afterAll(() => app.close())

  it.each(CONVERSATION)('%s', async (id) => {
    await replay(url, id)
  })

  it('resumeUiMessages finds nothing that runs', async () => {
    expect((await fetch(url + operation('resumeUiMessages').path)).status).toBe(204)
  })

  it.each(ENDING)('%s', async (id) => {
    const main = `${url}/api/sessions/trip/contexts/main/switch`
    if (id === 'deleteContext') await fetch(main, { method: 'POST' })
    await replay(url, id)
  })
})

describe('a question', () => {
  let replicas: Replicas
  beforeAll(async () => {
    const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
    replicas = await startReplicas({
      state: 'memory',
      count: 1,
      agents: new Map([
        [
          'project.guide',
          { tools: [{ name: 'book', parameters: city, execute: () => 'booked' }], ask: ['book'] },
        ],
      ]),
      replies: [{ toolCalls: [{ id: 'call_1', name: 'book', arguments: { city: 'Bonn' } }] }, 'Booked.'],
    })
    const made = await replicas.first.ask('POST', '/sessions', operation('createSession').body)
    expect(made).toMatchObject({ status: 201 })
    await replicas.first.ask('POST', '/sessions/trip/turns', operation('runTurn').body)
  })
  afterAll(() => replicas.close())

  it.each(APPROVALS)('%s', async (id) => {
    await replay(replicas.first.url, id)
  })
})

describe('a task', () => {
  let app: App
  let url = ''
  let made = ''
  beforeAll(async () => {
    const plan = { plan_id: 'plan_1', steps: [{ step_id: 'step_1', description: 'Forecast' }] }
    const model = createScriptedModel([
      (request) => {
        const phase = phaseOf(request)
        if (phase === 'turn') return 'About 40 GW'
        return JSON.stringify(phase === 'evaluate' ? evaluation(95, 98, true) : plan)
      },
    ])
    app = await buildTestApp({ LLM_MODEL: 'scripted' }, { model })
    url = await listen(app)
  })
  afterAll(() => app.close())

  it.each(TASKS)('%s', async (id) => {
    const answer = await replay(url, id, ours)
    if (id !== 'createTask') return
    made = answer.id
    const task = url + ours(operation('getTask').path)
    const ended = async () => Object.hasOwn(Object(await (await fetch(task)).json()), 'result')
    await waitUntil(ended, 'the end of the task')
  })

  it('resumeTask says that it has ended', async () => {
    const { path } = operation('resumeTask')
    expect((await fetch(url + ours(path), { method: 'POST' })).status).toBe(409)
  })

  it.each(LAST)('%s', (id) => replay(url, id, ours))

  function ours(path: string): string {
    return path.replace(operation('createTask').answer.id, made)
  }
})
