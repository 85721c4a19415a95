import { resolve } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { stream } from '../../../src/testing.js'
import { accessibilityProblems } from '../../support/accessibility.js'
import { streamCalling } from '../../support/agent-service.js'
import { HAS_TIME } from '../../support/has-time.js'
import { type Playground, startPlayground, type WatchedPage } from '../../support/playground.js'

const KEY = 'key-of-a-person-1'
const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
/** With `WRITE_SCREENSHOTS=1` the pictures of the documentation are taken again. */
const PICTURES =
  process.env['WRITE_SCREENSHOTS'] === '1' ? resolve(import.meta.dirname, '../../../docs/images') : undefined

let playground: Playground
const opened: WatchedPage[] = []

beforeAll(async () => {
  playground = await startPlayground({
    redisUrl: inject('redisUrl'),
    environment: { API_KEYS: KEY },
    documents: DOCUMENTS,
  })
})

afterAll(() => playground.close())

const DOCUMENTS = {
  'environs:team:rules': '1. Errors are handled.\n2. Names say what things are.',
  'environs:team:project': { name: 'shop-api', languages: ['Go', 'SQL'] },
  'templates:review:code_review': {
    description: 'Review a change for correctness, security and readability',
    messages: [
      {
        role: 'system',
        content:
          'You review {{.variables.language}} for {{.team.project.name}}.\n{{template "partials.house_style" .}}\n\nTeam rules:\n{{.team.rules}}',
      },
      {
        role: 'user',
        content:
          'Review this change.\n\n{{.variables.code}}\n\nWhat is known of it:\n{{docs_search .variables.topic}}\n{{issues_recent .variables.topic}}',
      },
    ],
    parameters: [
      { name: 'code', type: 'string', description: 'The code or diff to review' },
      { name: 'language', type: 'string', default: 'Go' },
      { name: 'topic', type: 'string', default: 'prices', description: 'What it is about' },
      { name: 'strict', type: 'boolean', default: false },
    ],
  },
  'templates:partials:house_style': { userPrompt: 'Be concrete: name files, functions and lines.' },
  'templates:translator:zh_en': {
    description: '将中文文本翻译为英文',
    userPrompt: '翻译：{{.variables.text}}',
    parameters: [{ name: 'text', type: 'string' }],
  },
  'tools:docs:search': {
    readOnly: true,
    ...{ name: 'search', module: 'docs', type: 'restful', url: '/search', description: 'Finds passages' },
    parameters: [{ name: 'query', type: 'string' }],
  },
  'tools:issues:recent': {
    readOnly: true,
    ...{
      name: 'recent',
      module: 'issues',
      type: 'restful',
      url: '/recent',
      description: 'The newest issues',
    },
    parameters: [{ name: 'component', type: 'string' }],
  },
  'agents:project:guide': {
    ...{ description: 'Answers questions about the project', instructions: 'Help.' },
    ...{ tools: ['docs.search'], approvals: { ask: ['docs.search'] } },
  },
}

async function open(hash: string, options: BrowserContextOptions = {}): Promise<Page> {
  const watched = await playground.open('', { reducedMotion: 'reduce', ...options })
  opened.push(watched)
  await watched.page.evaluate(`sessionStorage.setItem('key', '${KEY}')`)
  await watched.page.goto(`${playground.url}/${hash}`)
  await watched.page.reload()
  return watched.page
}

async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES !== undefined) await page.screenshot({ path: resolve(PICTURES, `${name}.png`) })
}

async function fillReview(page: Page): Promise<void> {
  const [write, result] = [page.locator('[data-pane=write]'), page.locator('[data-pane=result]')]
  await page.locator('.rendered-text').first().waitFor()
  if (await write.isVisible()) await write.click()
  await page
    .locator('[data-variable=code]')
    .fill('func price(items []Item) int {\n\treturn items[0].Price\n}')
  if (await result.isVisible()) await result.click()
  await page.locator('.rendered-text').getByText('items[0]').first().waitFor()
}

async function isTooWide(page: Page): Promise<boolean> {
  return Boolean(
    await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth'),
  )
}

describe('the page', { timeout: 180_000 }, () => {
  it('asks for a key, keeps it in the tab, and puts it into nothing else', async () => {
    const watched = await playground.open('#/prompt/partials.house_style')
    const { page } = watched
    const dialog = page.getByRole('dialog', { name: 'This service asks for a key' })
    await dialog.waitFor()
    expect(await accessibilityProblems(page)).toEqual([])
    await dialog.getByLabel('API key').fill('a-wrong-key-000')
    await page.keyboard.press('Enter')
    await dialog.getByText('Enter another key').waitFor()
    await dialog.getByLabel('API key').fill(KEY)
    await page.keyboard.press('Enter')
    await page.locator('.rendered-text').getByText('Be concrete').waitFor()
    expect(await page.evaluate('JSON.stringify({ ...localStorage })')).not.toContain(KEY)
    await page.getByRole('tab', { name: 'Code' }).click()
    const code = await page.getByRole('region', { name: 'Code', exact: true }).innerText()
    expect(code).toContain('authorization: Bearer $API_KEY')
    expect(code).not.toContain(KEY)
    const language = page.getByRole('combobox', { name: 'Programming language' })
    await page.getByRole('combobox', { name: 'Request', exact: true }).selectOption('Chat')
    await language.selectOption('OpenAI (Python)')
    const sample = page.getByRole('region', { name: 'Code', exact: true })
    await sample.getByText('extra_body={"variables"').waitFor()
    expect(await sample.innerText()).toContain('os.environ["API_KEY"]')
    // What that library cannot do is shown as curl again.
    await page.getByRole('combobox', { name: 'Request', exact: true }).selectOption('Render')
    await sample.getByText('curl -s').waitFor()
    await page.reload()
    await page.getByRole('tab', { name: /^Preview/ }).click()
    await page.locator('.rendered-text').getByText('Be concrete').waitFor()
    const other = await page.context().newPage()
    await other.goto(playground.url)
    await other.getByRole('dialog').waitFor()
    // Closed, it stays closed, however often the service asks.
    const isAsked = () => other.waitForResponse((answer) => answer.url().endsWith('/api/me'))
    await other.keyboard.press('Escape')
    await isAsked()
    await isAsked()
    await other.getByRole('button', { name: 'API key' }).waitFor()
    expect(await other.getByRole('dialog').count()).toBe(0)
    await other.getByText('disconnected').waitFor()
    // The browser itself reports answers with 401.
    expect(watched.complaints.filter((each) => !/status of 401/.test(each))).toEqual([])
  })

  it.each(HAS_TIME ? (['light', 'dark'] as const) : (['light'] as const))(
    'is without barriers, %s',
    async (colorScheme) => {
      const page = await open('#/prompt/review.code_review', { colorScheme })
      // Nothing but colours is another in the dark.
      const rule = colorScheme === 'dark' ? 'color-contrast' : undefined
      await page.locator('.missing-list').waitFor()
      expect(await accessibilityProblems(page, rule)).toEqual([])
      await fillReview(page)
      await page.getByRole('checkbox', { name: 'Call read-only tools' }).check()
      await page.getByRole('button', { name: 'answer to {"query":"prices"}' }).click()
      expect(await accessibilityProblems(page, rule)).toEqual([])
      if (colorScheme === 'light') await picture(page, 'preview-light')
      await page.getByRole('button', { name: 'Edit a draft' }).click()
      await page.getByRole('textbox', { name: 'Text of user' }).click()
      await page.keyboard.type('Short, please. ')
      expect(await accessibilityProblems(page, rule)).toEqual([])
      await page.getByRole('tab', { name: 'Difference' }).click()
      await page.locator('ins').first().waitFor()
      expect(await accessibilityProblems(page, rule)).toEqual([])
      if (colorScheme === 'dark') await picture(page, 'draft-dark')
    },
  )

  it('works without a mouse, from the search to the origin of a word', async () => {
    const page = await open('')
    await page.getByRole('listbox').getByRole('option').first().waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('code review')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.locator('[data-variable=code]').waitFor()
    await tabTo(page, '[data-variable=code]')
    await page.keyboard.type('x = 1')
    await page.locator('.rendered-text').first().waitFor()
    await tabTo(page, '.rendered-text .span')
    await page.keyboard.press('ArrowRight')
    await page.getByRole('region', { name: 'Origin' }).getByText('variables.language').waitFor()
    await page.keyboard.press('Enter')
    await page.locator('.text-view .marked').getByText('.variables.language').waitFor()
    await tabTo(page, '[role=tab][aria-selected=true]', 'Shift+Tab')
    for (const name of ['Chat', 'Compare', 'Time line']) {
      await page.keyboard.press('ArrowRight')
      await page.getByRole('tab', { name, selected: true }).waitFor()
    }
    await page.locator('.time-line').waitFor()
  })

  if (HAS_TIME) describeEverywhere()

  it('complained of nothing', () => {
    // The browser itself reports these answers: without a key, and for what there is not.
    const asked = /status of 40[14]/
    expect(opened.flatMap(({ complaints }) => complaints).filter((each) => !asked.test(each))).toEqual([])
    expect(opened.length).toBeGreaterThan(1)
  })
})

/** All other places, screens and languages: a browser takes seconds for them. */
function describeEverywhere(): void {
  it('asks for approval without barriers', async () => {
    playground.upstream.script(
      streamCalling('docs_search', { query: 'prices' }, 'Let me look.'),
      stream(['Found.']),
    )
    const page = await open('#/agent/project.guide')
    await page.getByRole('textbox', { name: 'Message to the agent' }).fill('What do prices depend on?')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Approve' }).waitFor()
    expect(await accessibilityProblems(page)).toEqual([])
    await picture(page, 'agent')
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('Found.').waitFor()
  })

  it('is without barriers wherever one goes', async () => {
    const page = await open('#/prompt/review.code_review')
    await fillReview(page)
    await page.getByRole('tab', { name: /^Time line/ }).click()
    await page.locator('.time-line li').first().waitFor()
    expect(await accessibilityProblems(page)).toEqual([])
    for (const name of ['Code', 'Chat']) {
      await page.getByRole('tab', { name }).click()
      expect(await accessibilityProblems(page)).toEqual([])
    }
    for (const hash of [
      '#/',
      '#/tool/docs.search',
      '#/environ/team.project',
      '#/tasks',
      '#/activity',
      '#/problems',
    ]) {
      await page.goto(`${playground.url}/${hash}`)
      await page.getByRole('main').getByRole('heading').first().waitFor()
      expect(await accessibilityProblems(page)).toEqual([])
    }
  })

  it('fits a phone: the list, then what was chosen, and back', async () => {
    const page = await open('', PHONE)
    await page.getByRole('listbox').getByRole('option').first().waitFor()
    expect(await isTooWide(page)).toBe(false)
    await page.getByRole('heading', { name: 'See what your prompts become' }).waitFor()
    expect(await accessibilityProblems(page)).toEqual([])
    await page.getByRole('option', { name: 'review.code_review' }).click()
    await page.getByRole('searchbox').waitFor({ state: 'hidden' })
    await fillReview(page)
    expect(await isTooWide(page)).toBe(false)
    expect(await accessibilityProblems(page)).toEqual([])
    await page.getByRole('link', { name: 'List' }).click()
    await page.getByRole('searchbox').waitFor()
    for (const hash of ['#/prompt/no.such', '#/tool/no.such', '#/agent/no.such', '#/environ/no.such']) {
      await page.goto(`${playground.url}/${hash}`)
      await page.getByRole('alert').getByText('_not_found').waitFor()
      await page.getByRole('link', { name: 'List' }).click()
      await page.getByRole('searchbox').waitFor()
    }
  })

  it('speaks Chinese, and remembers language and theme', async () => {
    const page = await open('#/prompt/translator.zh_en', { locale: 'zh-CN' })
    await page.getByRole('heading', { name: '模板' }).waitFor()
    expect(await page.evaluate('document.documentElement.lang')).toBe('zh-Hans')
    await page.locator('.missing-list').getByText('尚未填写').waitFor()
    await page.locator('[data-variable=text]').fill('你好')
    await page.locator('.rendered-text').getByText('你好').waitFor()
    expect(await accessibilityProblems(page)).toEqual([])
    await page.goto(`${playground.url}/#/prompt/no.such`)
    await page.getByRole('alert').getByText('这里没有 ID 为 "no.such" 的内容。').waitFor()
    await page.goBack()
    await page.getByRole('combobox', { name: '语言' }).selectOption('English')
    await page.getByRole('heading', { name: 'Template' }).waitFor()
    await page.getByRole('combobox', { name: 'Colors' }).selectOption('Dark')
    await page.reload()
    await page.getByRole('heading', { name: 'Template' }).waitFor()
    expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('dark')
  })
}

const MOST_STOPS = 60

/** Presses Tab until the focus is where it should be, as somebody without a mouse does. */
async function tabTo(page: Page, selector: string, key = 'Tab'): Promise<void> {
  for (let stop = 0; stop < MOST_STOPS; stop += 1) {
    await page.keyboard.press(key)
    if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return
  }
  throw new Error(`Tab does not lead to ${selector}`)
}
