import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { createKeysFile, type TestKeysFile } from '../../support/keys-file.js'
import { type Playground, startPlayground, type WatchedPage } from '../../support/playground.js'

const KEYS = {
  reader: ['read'],
  author: ['read', 'render', 'inline'],
  talker: ['read', 'render', 'chat', 'agents', 'tasks'],
  caller: ['render', 'chat'],
}
type Holder = keyof typeof KEYS

const keyOf = (holder: Holder) => `key-of-the-${holder}-1`

let keys: TestKeysFile
let playground: Playground
const opened: WatchedPage[] = []

beforeAll(async () => {
  keys = createKeysFile(
    Object.entries(KEYS).map(([name, scopes]) => ({ name, key: `key-of-the-${name}-1`, scopes })),
  )
  playground = await startPlayground({
    redisUrl: inject('redisUrl'),
    environment: { KEYS_FILE: keys.path },
    documents: {
      'templates:p:greet': { userPrompt: 'Hello {{.team.name}}' },
      'environs:team:name': '"Ada"',
      'agents:t:helper': { description: 'Helps', instructions: 'Help.' },
    },
  })
})

afterAll(async () => {
  await playground.close()
  keys.dispose()
})

async function openAs(holder: Holder, hash: string): Promise<Page> {
  const watched = await playground.open('')
  opened.push(watched)
  await watched.page.evaluate(`sessionStorage.setItem('key', '${keyOf(holder)}')`)
  await watched.page.goto(`${playground.url}/${hash}`)
  await watched.page.reload()
  return watched.page
}

const tabs = async (page: Page) =>
  (await page.getByRole('tablist', { name: 'Result' }).getByRole('tab').allInnerTexts()).map((text) =>
    text.trim(),
  )
const tasks = (page: Page) => page.getByRole('navigation').getByRole('link', { name: 'Tasks' })

describe('the page, for a key', () => {
  it('that may read: texts and code, and nothing that it may not ask for', async () => {
    const page = await openAs('reader', '#/prompt/p.greet')
    await page.locator('.text-view').getByText('Hello').waitFor()
    await page.getByRole('tab', { name: 'Code', selected: true }).waitFor()
    expect(await tabs(page)).toEqual(['Code', 'About'])
    expect(await page.getByRole('button', { name: 'Edit a draft' }).count()).toBe(0)
    expect(await tasks(page).count()).toBe(0)
    await page.goto(`${playground.url}/#/agent/t.helper`)
    await page.getByText('This key may not talk to agents.').waitFor()
  })

  it('that may render: previews and drafts', async () => {
    const page = await openAs('author', '#/prompt/p.greet')
    await page.locator('.rendered-text').getByText('Ada').waitFor()
    expect(await tabs(page)).toEqual(['Preview', 'Compare', 'Time line', 'Code', 'About'])
    await page.getByRole('button', { name: 'Edit a draft' }).click()
    await page.getByRole('button', { name: 'Discard draft' }).waitFor()
    expect(await tasks(page).count()).toBe(0)
  })

  it('that may talk: chat, agents and tasks, without drafts', async () => {
    const page = await openAs('talker', '#/prompt/p.greet')
    await page.locator('.rendered-text').getByText('Ada').waitFor()
    expect(await tabs(page)).toEqual(['Preview', 'Chat', 'Compare', 'Time line', 'Code', 'About'])
    expect(await page.getByRole('button', { name: 'Edit a draft' }).count()).toBe(0)
    await tasks(page).waitFor()
    await page.goto(`${playground.url}/#/agent/t.helper`)
    await page.getByRole('textbox', { name: 'Message to the agent' }).waitFor()
  })

  it('that may not see the catalog: says so, and shows all of it to the next key', async () => {
    const page = await openAs('caller', '')
    await page.getByText('This key may not see the catalog.').waitFor()
    await page.getByText('disconnected').waitFor()
    await page.getByRole('button', { name: 'API key' }).click()
    await page.getByRole('dialog').getByLabel('API key').fill(keyOf('author'))
    await page.keyboard.press('Enter')
    await page.getByRole('option', { name: 'p.greet' }).click()
    await page.locator('.rendered-text').getByText('Ada').waitFor()
  })

  it('never asks for what is forbidden', () => {
    const complaints = opened.flatMap(({ complaints }) => complaints)
    // Before it has a key, the page is told to get one.
    expect(complaints.filter((each) => !/status of 401/.test(each))).toEqual([])
  })
})
