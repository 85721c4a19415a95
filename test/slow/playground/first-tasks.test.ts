import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { stream } from '../../../src/testing.js'
import { streamCalling } from '../../support/agent-service.js'
import { askHelper } from '../../support/ask-helper.js'
import { eventually } from '../../support/eventually.js'
import { type Playground, startPlayground } from '../../support/playground.js'

/** What somebody may need for any of the tasks, who sees the page for the first time. */
const MAX_CLICKS = 4
/** Counts what a person does with the mouse. */
const COUNT_CLICKS = `addEventListener('click', ({ isTrusted }) => {
  if (isTrusted) sessionStorage.setItem('clicks', Number(sessionStorage.getItem('clicks') ?? 0) + 1)
}, true)`

let playground: Playground

beforeAll(async () => {
  playground = await startPlayground({
    redisUrl: inject('redisUrl'),
    documents: {
      'environs:team:rules': 'Short and plain.',
      'templates:review:change': {
        description: 'Review a change',
        userPrompt: 'Review {{.variables.code}}.\n{{.team.rules}}',
        parameters: [{ name: 'code', type: 'string' }],
      },
      'tools:docs:find': {
        ...{ name: 'find', module: 'docs', type: 'restful', url: '/find', readOnly: true },
        parameters: [{ name: 'q', type: 'string' }],
      },
      'agents:t:helper': {
        ...{ description: 'Helps', instructions: 'Help.', tools: ['docs.find'] },
        approvals: { ask: ['docs.find'] },
      },
    },
  })
})

afterAll(() => playground.close())

/** The start page, as it is for somebody who was never here. */
async function start(): Promise<Page> {
  const { page } = await playground.open('')
  await page.addInitScript({ content: COUNT_CLICKS })
  await page.reload()
  await page.getByRole('listbox').getByRole('option').first().waitFor()
  return page
}

const clicks = (page: Page) =>
  page.evaluate("Number(sessionStorage.getItem('clicks') ?? 0)") as Promise<number>
const find = async (page: Page) => {
  await page.keyboard.press('/')
  await page.keyboard.type('review change')
  await page.getByRole('option', { name: 'review.change' }).click()
  await page.getByRole('heading', { name: 'review.change' }).waitFor()
}
const fill = async (page: Page) => {
  await page.getByRole('textbox', { name: 'code' }).click()
  await page.keyboard.type('x = 1')
  await page.locator('.rendered-text').getByText('x = 1').waitFor()
}

const TASKS: Readonly<
  Record<string, { readonly expected: number; readonly does: (page: Page) => Promise<void> }>
> = {
  'finds a prompt': { expected: 1, does: find },
  'fills it in': {
    expected: 2,
    does: async (page) => {
      await find(page)
      await fill(page)
    },
  },
  'learns where a line comes from': {
    expected: 3,
    does: async (page) => {
      await find(page)
      await page.getByRole('button', { name: 'Short and plain.' }).click()
      await page.locator('.text-view .marked').getByText('.team.rules').waitFor()
      await page.getByRole('region', { name: 'Origin' }).getByRole('link', { name: 'team.rules' }).click()
      await page.getByRole('heading', { name: 'team.rules' }).waitFor()
    },
  },
  'writes a draft that is kept': {
    expected: 3,
    does: async (page) => {
      await find(page)
      await page.getByRole('button', { name: 'Edit a draft' }).click()
      await page.getByRole('textbox', { name: 'Text of user' }).click()
      await page.keyboard.type('Be brief. ')
      await page.locator('.rendered-text').getByText('Be brief.').waitFor()
      await page.reload()
      await page.locator('.rendered-text').getByText('Be brief.').waitFor()
    },
  },
  'answers an approval request': {
    expected: 2,
    does: async (page) => {
      playground.upstream.script(streamCalling('docs_find', { q: 'x' }, 'Look.'), stream(['Done.']))
      await askHelper(playground.url, 't.helper')
      await page.getByRole('region', { name: 'Waiting for you' }).getByRole('link').click()
      await page.getByRole('button', { name: 'Approve', exact: true }).click()
      await page.getByText('No approval requests.').waitFor()
    },
  },
}

describe('somebody who sees the page for the first time', () => {
  it.each(Object.entries(TASKS))('%s, with few clicks', async (_, { expected, does }) => {
    const page = await start()
    await does(page)
    await eventually(() => clicks(page)).toBe(expected)
    expect(expected).toBeLessThanOrEqual(MAX_CLICKS)
    await page.context().close()
  })
})
