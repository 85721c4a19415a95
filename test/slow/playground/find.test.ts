import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { BUNDLED_IDS } from '../../support/bundled-ids.js'
import { eventually } from '../../support/eventually.js'
import { holdRequests } from '../../support/hold-requests.js'
import { type Playground, startPlayground, type WatchedPage } from '../../support/playground.js'

const PROMPTS = 10_000
/** More than the page holds of a kind. */
const ENVIRONS = 50_100

let playground: Playground
let watched: WatchedPage

beforeAll(async () => {
  const prompts = Array.from({ length: PROMPTS }, (_, index) => [
    `templates:team${index % 40}:prompt_${index}`,
    { description: `Does number ${index}`, userPrompt: 'Hello' },
  ])
  const environs = Array.from({ length: ENVIRONS }, (_, index) => [`environs:bulk:value_${index}`, '1'])
  playground = await startPlayground({
    redisUrl: inject('redisUrl'),
    documents: {
      ...Object.fromEntries([...prompts, ...environs]),
      'environs:team:language': '"Go"',
      'tools:docs:search': { name: 'search', url: '/search', description: 'Finds passages' },
      'agents:t:helper': { description: 'Helps', instructions: 'Help.' },
    },
  })
  watched = await playground.open()
  await watched.page.getByRole('listbox').getByRole('option').first().waitFor()
})

afterAll(() => playground.close())

describe('finding', () => {
  it('has all of it, and only the rows in sight', async () => {
    const { page } = watched
    const row = page.getByRole('listbox').getByRole('option').first()
    await eventually(() => row.getAttribute('aria-setsize')).toBe(String(PROMPTS + BUNDLED_IDS.length))
    expect(await page.getByRole('listbox').getByRole('option').count()).toBeLessThan(60)
  })

  it('shows the first rows before the rest has come', async () => {
    const { page } = await playground.open()
    const letGo = await holdRequests(page, /\/api\/prompts\?limit=10000/)
    await page.reload()
    const row = page.getByRole('listbox').getByRole('option').first()
    await row.waitFor()
    expect(Number(await row.getAttribute('aria-setsize'))).toBeLessThan(PROMPTS / 10)
    const all = PROMPTS + BUNDLED_IDS.length
    await page.locator('.kinds').getByText(all.toLocaleString('en')).waitFor()
    letGo()
    await eventually(() => row.getAttribute('aria-setsize')).toBe(String(all))
    await page.context().close()
  })

  it('finds by every word, in ids and descriptions, as one types', async () => {
    const { page } = watched
    await page.getByRole('searchbox').pressSequentially('number 4321')
    await page.getByRole('option', { name: 'team1.prompt_4321' }).waitFor()
    expect(await page.getByRole('listbox').getByRole('option').count()).toBe(1)
    await page.getByRole('searchbox').fill('nowhere at all')
    await page.getByText('Nothing found').waitFor()
  })

  it('goes all the way by keyboard: search, list, entry, and back', async () => {
    const { page } = watched
    await page.locator('body').press('/')
    await page.getByRole('searchbox').fill('prompt_77')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('End')
    await page.keyboard.press('Home')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'team37.prompt_77' }).waitFor()
    expect(await page.getByRole('listbox').getByRole('option', { selected: true }).innerText()).toContain(
      'team37.prompt_77',
    )
    await page.keyboard.press('PageDown')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'team37.prompt_77' }).waitFor({ state: 'detached' })
    await page.goBack()
    await page.getByRole('heading', { name: 'team37.prompt_77' }).waitFor()
  })

  it.each([
    ['Tools', 'docs.search', 'Finds passages'],
    ['Context', 'team.language', 'Go'],
    ['Agents', 't.helper', 'Help.'],
  ])('opens %s', async (kind, id, text) => {
    const { page } = watched
    await page.getByRole('searchbox').fill(id)
    await page.getByText(kind, { exact: false }).first().click()
    await page.getByRole('option', { name: id }).click()
    await page.getByRole('heading', { name: id }).waitFor()
    await page.getByRole('main').getByText(text).first().waitFor()
  })

  it('finds by asking the service what is beyond its own list', async () => {
    const { page } = watched
    const search = page.getByRole('searchbox')
    await page.getByText('Context', { exact: false }).first().click()
    const row = page.getByRole('listbox').getByRole('option').first()
    // By its id the last of all: the page has 50,000 of them.
    await search.fill('team language')
    await page.getByRole('option', { name: 'team.language' }).waitFor()
    expect(await row.getAttribute('aria-setsize')).toBe('1')
    await search.fill('nowhere at all')
    await page.getByText('Nothing found').waitFor()
  })

  it('stays where one scrolled to when the catalog changes', async () => {
    const { page } = await playground.open()
    const row = page.getByRole('listbox').getByRole('option')
    await eventually(() => row.first().getAttribute('aria-setsize')).toBe(
      String(PROMPTS + BUNDLED_IDS.length),
    )
    const top = () => page.evaluate('document.querySelector(".virtual-list").scrollTop')
    await page.evaluate('document.querySelector(".virtual-list").scrollTop = 5200')
    await row.filter({ hasText: 'team0.' }).first().waitFor()
    const id = (await row.nth(8).locator('.row-id').innerText()).trim()
    await playground.set({
      [`templates:${id.replace('.', ':')}`]: { description: 'Changed', userPrompt: 'Hello' },
    })
    await row.getByText('Changed').waitFor()
    expect(await top()).toBe(5200)
    await page.context().close()
  })

  it('complained of nothing', () => expect(watched.complaints).toEqual([]))
})
