// Pictures of every view of the page, over a copy of examples/catalog with versions, a mistake and an agent that asks, with
// the tool server and the demo model: three screens, two themes, two languages. Look at them after a change of the page.
//
//   npm run pictures                          all of them, in pictures/
//   npm run pictures -- prompt --screen phone --theme dark --language zh
import { execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { chromium } from 'playwright-core'
import { VIEWS } from './picture-views.mjs'

const root = resolve(import.meta.dirname, '..')
const target = join(root, 'pictures')
const SCREENS = {
  desktop: { viewport: { width: 1440, height: 900 } },
  tablet: { viewport: { width: 1024, height: 768 }, hasTouch: true },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
}
const THEMES = ['light', 'dark']
const LANGUAGES = ['en', 'zh']
const { values, positionals } = parseArgs({
  options: { screen: { type: 'string' }, theme: { type: 'string' }, language: { type: 'string' } },
  allowPositionals: true,
})
const only = (names, wanted) => names.filter((name) => wanted === undefined || name === wanted)
const views = Object.keys(VIEWS).filter((name) => positionals.length === 0 || positionals.includes(name))

const catalog = makeCatalog()
const [toolPort, modelPort, port, lockedPort] = await Promise.all([1, 2, 3, 4].map(freePort))
const service = {
  LOG_LEVEL: 'error',
  // A machine that does something else besides takes its pictures, too.
  MAX_LOOP_DELAY_MS: '0',
  CATALOG_DIR: catalog,
  TOOL_BASE_URL: `http://127.0.0.1:${toolPort}`,
  LLM_BASE_URL: `http://127.0.0.1:${modelPort}/v1`,
  LLM_MODEL: 'demo',
}
const services = { service: `http://127.0.0.1:${port}`, locked: `http://127.0.0.1:${lockedPort}` }
const children = [
  start('examples/tool-server/server.mjs', { PORT: String(toolPort) }),
  start('examples/tool-server/model.mjs', { PORT: String(modelPort) }),
  start('dist/main.js', { ...service, PORT: String(port) }),
  start('dist/main.js', { ...service, PORT: String(lockedPort), API_KEYS: 'a-key-of-these-pictures' }),
]
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-sync'],
})
try {
  await Promise.all(Object.values(services).map(ready))
  mkdirSync(target, { recursive: true })
  for (const screen of only(Object.keys(SCREENS), values.screen))
    for (const theme of only(THEMES, values.theme))
      for (const language of only(LANGUAGES, values.language)) await takeAll(screen, theme, language)
} finally {
  await browser.close()
  for (const child of children) child.kill()
  rmSync(catalog, { recursive: true, force: true })
}

/** A copy of the example, with what it does not have: versions, a mistake, an agent that asks before it calls a tool. */
function makeCatalog() {
  const directory = join(mkdtempSync(join(tmpdir(), 'aps-pictures-')), 'catalog')
  cpSync(join(root, 'examples/catalog'), directory, { recursive: true })
  const write = (file, lines) => writeFileSync(join(directory, file), `${lines.join('\n')}\n`)
  write('templates/review/broken.yaml', [
    'description: Review of a migration',
    'userPrompt: |-',
    '  Review this migration{{if .variables.focus}} with a focus on {{.variables.focus}}.',
    '',
    '  {{.variables.code}}',
  ])
  write('agents/project/careful.yaml', [
    'description: Asks before it looks anything up',
    'instructions: Answer from the code.',
    'tools: [codebase.*]',
    'approvals: { ask: [codebase.*] }',
  ])
  for (const command of [
    'publish review.commit_message -m First',
    'promote review.commit_message 1 --to production',
  ])
    execFileSync(
      process.execPath,
      ['dist/main.js', ...command.split(' '), '--catalog', directory, '--force'],
      {
        cwd: root,
        stdio: 'ignore',
      },
    )
  return directory
}

async function takeAll(screen, theme, language) {
  for (const name of views) {
    const context = await browser.newContext({
      ...SCREENS[screen],
      colorScheme: theme,
      locale: language === 'zh' ? 'zh-CN' : 'en',
      reducedMotion: 'reduce',
    })
    const page = await context.newPage()
    page.setDefaultTimeout(20_000)
    const [hash, prepare, where = 'service'] = VIEWS[name]
    const file = [name, screen, theme, language].join('-')
    try {
      await page.goto(`${services[where]}/${hash}`)
      await page.locator('main').waitFor({ state: 'attached' })
      await prepare?.(page, services)
      await sleep(400)
      await page.screenshot({ path: join(target, `${file}.png`) })
    } catch (error) {
      process.stderr.write(`${file}: ${error.message.split('\n')[0]}\n`)
      process.exitCode = 1
    }
    await context.close()
  }
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
