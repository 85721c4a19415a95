import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { completion, type RecordedRequest, stream } from '../../../src/testing.js'
import { streamCalling } from '../../support/agent-service.js'
import { eventually } from '../../support/eventually.js'
import { type Playground, startPlayground, type WatchedPage } from '../../support/playground.js'
import { evaluation, phaseOf } from '../../support/task-setup.js'

const MARKUP = '<script>alert(1)</script><b>bold</b>'

let playground: Playground
const opened: WatchedPage[] = []

beforeAll(async () => {
  const search = { name: 'search', module: 'docs', type: 'restful', url: '/search', readOnly: true }
  playground = await startPlayground({
    redisUrl: inject('redisUrl'),
    documents: {
      'templates:p:ask': {
        userPrompt: 'Say hello to {{.variables.name}}.',
        parameters: [{ name: 'name', type: 'string' }],
      },
      'tools:docs:search': { ...search, parameters: [{ name: 'q', type: 'string' }] },
      'agents:t:helper': {
        description: 'Helps',
        instructions: 'Help {{.variables.who}}.',
        parameters: [{ name: 'who', type: 'string', default: 'everybody' }],
        tools: ['docs.search'],
        approvals: { ask: ['docs.search'] },
      },
    },
  })
})

afterAll(() => playground.close())

async function open(hash: string): Promise<Page> {
  const watched = await playground.open(hash)
  opened.push(watched)
  return watched.page
}

const log = (page: Page) => page.getByRole('log')

describe('talking', () => {
  it('streams an answer to a prompt, goes on, and stops when told to', async () => {
    playground.upstream.script(
      stream(['Hello ', MARKUP]),
      stream(['One ', 'two ', 'three'], { pieceMs: 3_000 }),
    )
    const page = await open('#/prompt/p.ask')
    await page.getByRole('textbox', { name: 'name' }).fill('Ada')
    await page.getByRole('tab', { name: 'Chat' }).click()
    await page.getByRole('button', { name: 'Send' }).click()
    await log(page).getByText(`Hello ${MARKUP}`).waitFor()
    expect(await log(page).locator('b, script').count()).toBe(0)
    const [request] = playground.upstream.requests
    expect(request?.body['messages']).toEqual([{ role: 'user', content: 'Say hello to Ada.' }])

    await page.getByRole('textbox', { name: /^Message/ }).fill('Count')
    await page.keyboard.press('Enter')
    await log(page).getByText('One').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await log(page).getByText('Stopped').waitFor()
    await eventually(() => playground.upstream.busy).toBe(0)
    expect(await log(page).innerText()).not.toContain('three')
    expect(playground.upstream.requests.at(-1)?.body['messages']).toHaveLength(3)
  })

  it('shows an agent at work: its question before a tool, the tool, the answer', async () => {
    playground.upstream.script(
      streamCalling('docs_search', { q: 'gold' }, 'Let me look.'),
      stream(['It is ', 'found.']),
    )
    const page = await open('#/agent/t.helper')
    await page.getByRole('textbox', { name: 'who' }).fill('Bob')
    await page.getByRole('textbox', { name: 'Message to the agent' }).fill('Find gold')
    await page.keyboard.press('Enter')
    await log(page).getByText('Let me look.').waitFor()
    const approval = page.getByRole('group', { name: /^Approval of/ })
    const given = approval.getByRole('textbox', { name: 'Arguments' })
    expect(JSON.parse(await given.inputValue())).toEqual({ q: 'gold' })
    await given.fill('{"q": "silver"}')
    await approval.getByRole('button', { name: 'Approve as changed' }).click()
    await log(page).getByText('It is found.').waitFor()
    const tool = log(page).locator('.activity')
    await tool.getByText('docs_search').click()
    await tool.getByText('silver').last().waitFor()
    expect(playground.upstream.requests[0]?.text).toContain('Help Bob.')

    playground.upstream.script(streamCalling('docs_search', { q: 'more' }), stream(['Then not.']))
    await page.getByRole('textbox', { name: 'Message to the agent' }).fill('More')
    await page.keyboard.press('Enter')
    await approval.getByRole('textbox', { name: 'Reason for a rejection' }).fill('too dear')
    await approval.getByRole('button', { name: 'Reject' }).click()
    await log(page).getByText('Then not.').waitFor()
    expect(playground.upstream.requests.at(-1)?.text).toContain('too dear')
  })

  it('shows what tools are asked and answer as the text it is', async () => {
    playground.upstream.script(streamCalling('docs_search', { q: MARKUP }, MARKUP), stream(['Done.']))
    const page = await open('#/agent/t.helper')
    await page.getByRole('textbox', { name: 'Message to the agent' }).fill(MARKUP)
    await page.keyboard.press('Enter')
    const approval = page.getByRole('group', { name: /^Approval of/ })
    expect(await approval.getByRole('textbox', { name: 'Arguments' }).inputValue()).toContain(MARKUP)
    await approval.getByRole('button', { name: 'Approve', exact: true }).click()
    await log(page).getByText('Done.').waitFor()
    const tool = log(page).locator('.activity')
    await tool.getByText('docs_search').click()
    await tool.getByText('answer to').waitFor()
    expect((await tool.innerText()).split(MARKUP)).toHaveLength(3)
    expect(await page.locator('main b, main script').count()).toBe(0)
  })

  it('stops an agent', async () => {
    playground.upstream.script(stream(['Thinking', ' on', ' and on'], { pieceMs: 5_000 }))
    const page = await open('#/agent/t.helper')
    await page.getByRole('textbox', { name: 'Message to the agent' }).fill('Think')
    await page.keyboard.press('Enter')
    await log(page).getByText('Thinking').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await log(page).getByText('Stopped').waitFor()
    await page.getByRole('button', { name: 'Send' }).waitFor()
  })

  it('shows the rounds and scores of a task as a picture', async () => {
    let round = 0
    playground.upstream.script((request: RecordedRequest) => {
      const phase = phaseOf(request.body)
      if (phase === 'plan') round += 1
      return completion(answerOf(phase, round))
    })
    const page = await open('#/tasks')
    await page.getByRole('textbox', { name: 'Task description' }).fill('Greet <b>everybody</b>')
    await page.getByRole('combobox', { name: 'Agent', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByRole('heading', { name: /completed/ }).waitFor()
    const picture = page.getByRole('img', { name: /overall/ })
    expect(await picture.getAttribute('aria-label')).toBe('1: overall 40; 2: overall 97')
    expect(await picture.locator('rect').count()).toBe(8)
    const rounds = page.getByRole('region', { name: /^Round/ })
    expect(await rounds.count()).toBe(2)
    await rounds.last().getByText('Say hello').click()
    await rounds.last().getByText('"hello"').waitFor()
    expect(await page.locator('main b').count()).toBe(0)
  })

  it('complained of nothing', () => expect(opened.flatMap(({ complaints }) => complaints)).toEqual([]))
})

function answerOf(phase: string, round: number): string {
  const step = { step_id: `a${round}`, step_name: `Say hello, try ${round}` }
  if (phase === 'plan') return JSON.stringify({ plan_id: `p${round}`, steps: [step] })
  if (phase === 'evaluate')
    return JSON.stringify(round === 1 ? evaluation(40, 50, false) : evaluation(97, 98, true))
  if (phase === 'reflect')
    return JSON.stringify({
      reflection_id: 'r',
      root_causes: ['haste'],
      requires_replanning: true,
      insights: [],
    })
  return 'hello'
}
