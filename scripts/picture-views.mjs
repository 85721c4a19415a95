// The views that `npm run pictures` takes pictures of.
import { setTimeout as sleep } from 'node:timers/promises'

const CHANGE = '--- a/price.go\n+++ b/price.go\n@@\n-  return total\n+  return total - discount\n'

/**
 * What is opened, what is done there before the picture is taken, and which service it is: without a word the one that asks
 * for no key.
 */
export const VIEWS = {
  start: ['#/', listed],
  'start-later': [
    '#/prompt/review.code_review',
    async (page, { service }) => {
      await draft(page)
      await page.goto(`${service}/#/prompt/writing.weekly_report`)
      await rendered(page)
      await page.goto(`${service}/#/`)
      await listed(page)
    },
  ],
  'prompt-empty': ['#/prompt/review.security_audit', rendered],
  prompt: ['#/prompt/review.code_review', (page) => fill(page, 'code', CHANGE)],
  json: [
    '#/prompt/review.code_review',
    async (page) => {
      await rendered(page)
      await show(page, 'write')
      await page.locator('[role=tab][data-name=json]').click()
    },
  ],
  origin: [
    '#/prompt/review.code_review',
    async (page) => {
      await fill(page, 'code', CHANGE)
      await show(page, 'result')
      await page.locator('.span-environ').first().click()
    },
  ],
  draft: [
    '#/prompt/review.code_review',
    async (page) => {
      await fill(page, 'code', CHANGE)
      await draft(page)
    },
  ],
  difference: [
    '#/prompt/review.code_review',
    async (page) => {
      await draft(page, 'Be brief.\n')
      await page.locator('[role=tab][data-name=difference]').click()
      await page.locator('.diff').first().waitFor()
    },
  ],
  'draft-rendered': [
    '#/prompt/review.code_review',
    async (page) => {
      await draft(page, 'Be brief.\n')
      await show(page, 'result')
      await page.locator('.pane-result .switch input').last().check()
      await page.locator('.pane-result .diff').first().waitFor()
    },
  ],
  tests: [
    '#/prompt/review.code_review',
    async (page) => {
      await draft(page, 'Say what you found.\n')
      await show(page, 'result')
      await page.locator('[role=tab][data-name=about]').click()
      const tests = page.locator('[aria-labelledby=prompt-tests]')
      await tests.locator('button').click()
      await tests.locator('[role=status]').waitFor()
      await tests.scrollIntoViewIfNeeded()
    },
  ],
  home: [
    '#/prompt/review.code_review',
    async (page) => {
      await draft(page, 'Be brief.\n')
      await page.locator('[role=tab][data-name=home]').click()
      await page.locator('.line-diff').waitFor()
    },
  ],
  completion: [
    '#/prompt/review.code_review',
    async (page) => {
      await draft(page, '{{.vscode.')
      await page.locator('.cm-offer').waitFor()
      await sleep(1_000)
    },
  ],
  compare: [
    '#/prompt/review.code_review',
    async (page) => {
      await fill(page, 'code', CHANGE)
      await page.locator('[role=tab][data-name=compare]').click()
      await page.locator('.side-text').first().waitFor()
      await page.locator('.primary').first().click()
      await page.locator('.said-assistant').nth(1).waitFor()
    },
  ],
  about: [
    '#/prompt/partials.house_style/about',
    async (page) => {
      await page.locator('.bill tr').first().waitFor()
    },
  ],
  palette: [
    '#/prompt/review.code_review',
    async (page) => {
      await page.locator('main h1').waitFor()
      await page.keyboard.press('ControlOrMeta+k')
      await page.locator('.palette [role=combobox]').fill('rules')
      await page.locator('.command').nth(2).waitFor()
      await sleep(500)
    },
  ],
  search: [
    '#/',
    async (page) => {
      await page.locator('[type=search]').fill('concrete')
      await page.locator('.row-place').first().waitFor()
    },
  ],
  broken: [
    '#/prompt/review.broken',
    (page) => page.locator('.text-view').first().waitFor({ state: 'attached' }),
  ],
  versions: [
    '#/prompt/review.commit_message/versions',
    (page) => page.locator('.versions li').first().waitFor(),
  ],
  tools: ['#/prompt/review.change_impact', rendered],
  'tools-ran': [
    '#/prompt/review.change_impact',
    async (page) => {
      await rendered(page)
      await page.locator('.pane-result .actions button', { hasText: 'codebase_caller' }).click()
      await page.locator('.rendered-text').getByText('CreateOrder').first().waitFor()
    },
  ],
  'time-line': [
    '#/prompt/review.change_impact/timeLine',
    async (page) => {
      await page.locator('.time-line li').first().waitFor()
    },
  ],
  chat: [
    '#/prompt/review.code_review',
    async (page) => {
      await fill(page, 'code', CHANGE)
      await show(page, 'result')
      await page.locator('[role=tab][data-name=chat]').click()
      await page.locator('.composer button[type=submit]').click()
      await page.locator('.said-assistant').first().waitFor()
    },
  ],
  code: [
    '#/prompt/review.code_review',
    async (page) => {
      await show(page, 'result')
      await page.locator('[role=tab][data-name=code]').click()
    },
  ],
  environ: ['#/environ/vscode.rules'],
  tool: ['#/tool/codebase.caller'],
  agent: [
    '#/agent/project.guide',
    async (page) => {
      await page.locator('.composer textarea').fill('What breaks if I change ApplyDiscount?')
      await page.keyboard.press('Enter')
      await page.locator('.conversation .quiet, section.approval').first().waitFor()
    },
  ],
  approval: [
    '#/agent/project.careful',
    async (page) => {
      await page.locator('.composer textarea').fill('What breaks if I change ApplyDiscount?')
      await page.keyboard.press('Enter')
      await page.locator('section.approval').first().waitFor()
    },
  ],
  problems: ['#/problems', (page) => page.locator('.problem').first().waitFor()],
  activity: [
    '#/agent/project.careful',
    async (page, { service }) => {
      await page.locator('.composer textarea').fill('Who calls ApplyDiscount?')
      await page.keyboard.press('Enter')
      await page.locator('section.approval').first().waitFor()
      await page.goto(`${service}/#/activity`)
      await page.locator('section.approval').first().waitFor()
    },
  ],
  tasks: ['#/tasks'],
  task: [
    '#/tasks',
    async (page) => {
      await page.locator('textarea').first().fill('Find out what breaks if ApplyDiscount changes')
      await page.locator('main button[type=submit]').click()
      await page.locator('.outcome, .problem').first().waitFor()
      await sleep(800)
    },
  ],
  missing: ['#/prompt/review.code_rewiev', (page) => page.locator('[role=alert]').waitFor()],
  offline: [
    '#/prompt/review.code_review',
    async (page) => {
      await page.route('**/api/events*', (request) => request.abort())
      await page.reload()
      await rendered(page)
      await page.locator('.connection-offline').waitFor()
    },
  ],
  key: ['#/', (page) => page.locator('dialog input').waitFor(), 'locked'],
}

/** On a small screen, the tab where a part of the workbench is. */
async function show(page, pane) {
  const tab = page.locator(`[data-pane=${pane}]`)
  if (await tab.isVisible()) await tab.click()
}

async function fill(page, name, text) {
  await page.locator('.workbench').waitFor()
  await show(page, 'write')
  await page.locator(`[data-variable=${name}]`).fill(text)
  await show(page, 'result')
  await page.locator('.rendered-text').first().waitFor()
}

async function listed(page) {
  await page.locator('.row').first().waitFor()
}

async function rendered(page) {
  await page.locator('.rendered-text').first().waitFor()
}

/** Begins a draft, and writes something before its first text. */
async function draft(page, text = '') {
  await rendered(page)
  await show(page, 'write')
  await page.locator('[data-action=draft]').click()
  await page.locator('.cm-content').first().click()
  await page.keyboard.press('ControlOrMeta+Home')
  await page.keyboard.type(text)
}
