// Pictures of every view of the page, over examples/catalog with its tool server and demo model: three screens, two
// themes, two languages. Look at them after a change of the page.
//
//   npm run pictures                          all of them, in pictures/
//   npm run pictures -- prompt --screen phone --theme dark --language zh
import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { chromium } from 'playwright-core'

const root = resolve(import.meta.dirname, '..')
const target = join(root, 'pictures')
const SCREENS = {
  desktop: { viewport: { width: 1440, height: 900 } },
  tablet: { viewport: { width: 1024, height: 768 }, hasTouch: true },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
}
const THEMES = ['light', 'dark']
const LANGUAGES = ['en', 'zh']
const CHANGE = '--- a/price.go\n+++ b/price.go\n@@\n-  return total\n+  return total - discount\n'

/** What is opened, and what is done there before the picture is taken. */
const VIEWS = {
  start: ['#/'],
  'prompt-empty': ['#/prompt/review.code_review', (page) => page.locator('.rendered-text').first().waitFor()],
  prompt: ['#/prompt/review.code_review', (page) => fill(page, 'code', CHANGE)],
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
      await show(page, 'write')
      await page.locator('[data-action=draft]').click()
      await page.locator('.cm-content').first().waitFor()
    },
  ],
  home: [
    '#/prompt/review.code_review',
    async (page) => {
      await page.locator('.rendered-text').first().waitFor()
      await show(page, 'write')
      await page.locator('[data-action=draft]').click()
      await page.locator('.cm-content').first().click()
      await page.keyboard.press('ControlOrMeta+Home')
      await page.keyboard.type('Be brief.\n')
      await page.locator('[role=tab][data-name=home]').click()
      await page.locator('.line-diff').waitFor()
    },
  ],
  completion: [
    '#/prompt/review.code_review',
    async (page) => {
      await page.locator('.rendered-text').first().waitFor()
      await show(page, 'write')
      await page.locator('[data-action=draft]').click()
      await page.locator('.cm-content').first().click()
      await page.keyboard.press('ControlOrMeta+Home')
      await page.keyboard.type('{{.vscode.')
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
  tools: ['#/prompt/review.change_impact', (page) => page.locator('.rendered-text').first().waitFor()],
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
  problems: ['#/problems'],
  activity: ['#/activity'],
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
  missing: ['#/prompt/no.such'],
}

const { values, positionals } = parseArgs({
  options: { screen: { type: 'string' }, theme: { type: 'string' }, language: { type: 'string' } },
  allowPositionals: true,
})
const only = (names, wanted) => names.filter((name) => wanted === undefined || name === wanted)
const views = Object.keys(VIEWS).filter((name) => positionals.length === 0 || positionals.includes(name))

const [toolPort, modelPort, port] = await Promise.all([freePort(), freePort(), freePort()])
const children = [
  start('examples/tool-server/server.mjs', { PORT: String(toolPort) }),
  start('examples/tool-server/model.mjs', { PORT: String(modelPort) }),
  start('dist/main.js', {
    PORT: String(port),
    LOG_LEVEL: 'error',
    // A machine that does something else besides takes its pictures, too.
    MAX_LOOP_DELAY_MS: '0',
    TOOL_BASE_URL: `http://127.0.0.1:${toolPort}`,
    LLM_BASE_URL: `http://127.0.0.1:${modelPort}/v1`,
    LLM_MODEL: 'demo',
  }),
]
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-sync'],
})
try {
  const url = `http://127.0.0.1:${port}`
  await ready(url)
  mkdirSync(target, { recursive: true })
  for (const screen of only(Object.keys(SCREENS), values.screen))
    for (const theme of only(THEMES, values.theme))
      for (const language of only(LANGUAGES, values.language)) await takeAll(url, screen, theme, language)
} finally {
  await browser.close()
  for (const child of children) child.kill()
}

async function takeAll(url, screen, theme, language) {
  for (const name of views) {
    const context = await browser.newContext({
      ...SCREENS[screen],
      colorScheme: theme,
      locale: language === 'zh' ? 'zh-CN' : 'en',
      reducedMotion: 'reduce',
    })
    const page = await context.newPage()
    page.setDefaultTimeout(20_000)
    const [hash, prepare] = VIEWS[name]
    const file = [name, screen, theme, language].join('-')
    try {
      await page.goto(`${url}/${hash}`)
      await page.locator('main').waitFor({ state: 'attached' })
      await prepare?.(page)
      await sleep(400)
      await page.screenshot({ path: join(target, `${file}.png`) })
    } catch (error) {
      process.stderr.write(`${file}: ${error.message.split('\n')[0]}\n`)
    }
    await context.close()
  }
}

/** On a small screen, the tab where a part of the workbench is. */
async function show(page, pane) {
  const tab = page.locator(`[data-pane=${pane}]`)
  if (await tab.isVisible()) await tab.click()
}

async function fill(page, name, text) {
  await page.locator('main h1').waitFor()
  await show(page, 'write')
  await page.locator(`[data-variable=${name}]`).fill(text)
  await show(page, 'result')
  await page.locator('.rendered-text').first().waitFor()
}

function start(file, environment) {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...environment }
  return spawn(process.execPath, [file], { cwd: root, env, stdio: ['ignore', 'ignore', 'inherit'] })
}

async function ready(url) {
  for (let tries = 0; tries < 300; tries += 1) {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined)
    if (answer?.ok === true) return
    await sleep(200)
  }
  throw new Error(`nothing answers at ${url}`)
}

function freePort() {
  return new Promise((found) => {
    const server = createServer()
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => found(port))
    })
  })
}
