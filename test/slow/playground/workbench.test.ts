import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { chunk, completion, event, type RecordedRequest, stream } from '../../../src/testing.js'
import { accessibilityProblems } from '../../support/accessibility.js'
import { streamCalling } from '../../support/agent-service.js'
import { askHelper, postJson } from '../../support/ask-helper.js'
import { startBrowser } from '../../support/browser.js'
import { eventually } from '../../support/eventually.js'
import { type Playground, startPlayground, type WatchedPage } from '../../support/playground.js'
import { startService } from '../../support/service-process.js'
import { evaluation, phaseOf } from '../../support/task-setup.js'

const WORDS = { team: 'Errors are handled with great care.\nSecond line.' }

let playground: Playground
const opened: WatchedPage[] = []

beforeAll(async () => {
  playground = await startPlayground({
    redisUrl: inject('redisUrl'),
    upstreams: { second: await startLister(['slow-1', 'slow-2', 'other']) },
    config: {
      prices: { gpt: { input: 1_000, output: 2_000 } },
      models: [{ match: 'slow*', upstream: 'second' }],
    },
    documents: {
      'environs:team:rules': JSON.stringify(WORDS.team),
      'templates:b:greet': {
        description: 'Greets',
        messages: [
          { role: 'system', content: 'You are kind.\nRules: {{.team.rules}}' },
          { role: 'user', content: 'Greet {{.variables.name}} in {{.variables.tone}}.' },
        ],
        parameters: [
          { name: 'name', type: 'string', default: 'Ada' },
          { name: 'tone', type: 'string', default: 'prose' },
        ],
      },
      'templates:b:whole': { userPrompt: '{{template "b.greet_line" .}} {{docs_find "x"}}' },
      'templates:b:greet_line': { userPrompt: 'Good day.' },
      'templates:b:long': {
        userPrompt: Array.from({ length: 200 }, (_, index) => `Line ${index} {{.team.rules}}`).join('\n'),
      },
      'tools:docs:find': {
        ...{ name: 'find', module: 'docs', type: 'restful', url: '/find', readOnly: true },
        parameters: [{ name: 'q', type: 'string' }],
      },
      'tools:notes:read': { name: 'read', module: 'notes', type: 'restful', url: '/read', parameters: [] },
      'agents:b:other': { description: 'Reads', instructions: 'Read.', tools: ['notes.*'] },
      'agents:b:helper': {
        ...{ description: 'Helps', instructions: 'Help.', tools: ['docs.find'] },
        approvals: { ask: ['docs.find'] },
      },
    },
  })
})

afterAll(async () => {
  await playground.close()
  lister.close()
})

const lister = createServer()

/** An upstream that lists models, and answers nothing else. */
async function startLister(ids: readonly string[]): Promise<string> {
  lister.on('request', (_, response) =>
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ object: 'list', data: ids.map((id) => ({ id, object: 'model' })) })),
  )
  await new Promise<void>((listening) => lister.listen(0, '127.0.0.1', listening))
  return `http://127.0.0.1:${(lister.address() as AddressInfo).port}/v1`
}

async function open(hash: string, options = {}): Promise<Page> {
  const watched = await playground.open(hash, options)
  opened.push(watched)
  return watched.page
}

/** Whether a part of the page is where a person sees it. */
async function isInSight(page: Page, selector: string): Promise<boolean> {
  const box = await page.locator(selector).first().boundingBox()
  return box !== null && box.y >= 0 && box.y < (page.viewportSize()?.height ?? 0)
}

const rendered = (page: Page) => page.locator('.rendered-text')
const editor = (page: Page, name: string) => page.getByRole('textbox', { name })

describe('run and compare', () => {
  it('asks with parameters, and says what it cost', async () => {
    const usage = { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 }
    const last = { ...JSON.parse(chunk('')), choices: [], usage }
    const pieces = [chunk('Hello.'), chunk('', 'stop'), JSON.stringify(last), '[DONE]'].map(event)
    playground.upstream.script(stream([], { pieces }))
    const page = await open('#/prompt/b.greet/chat')
    await page.getByText('Parameters').click()
    await page.getByRole('textbox', { name: 'temperature' }).fill('0.3')
    await page.getByRole('textbox', { name: 'max_tokens' }).fill('50')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText(/first token after \d+ ms, \d+ ms · 20 \+ 10 tokens · cost 0\.04/).waitFor()
    expect(playground.upstream.requests.at(-1)?.body).toMatchObject({ temperature: 0.3, max_tokens: 50 })
  })

  it('offers the models that are reached by a pattern', async () => {
    const page = await open('#/prompt/b.greet/chat')
    const offered = page.locator('datalist option')
    await eventually(() =>
      offered.evaluateAll((all) => all.map((each) => each.getAttribute('value'))),
    ).toEqual(expect.arrayContaining(['gpt', 'slow-1', 'slow-2']))
    expect(
      await page.locator('datalist option[value=other], datalist option[value^="prompt:"]').count(),
    ).toBe(0)
  })

  it('shows stored and draft side by side, each before a model of its own, with the same variables', async () => {
    const page = await open('#/prompt/b.greet')
    await rendered(page).first().waitFor()
    await page.getByRole('button', { name: 'Edit a draft' }).click()
    await editor(page, 'Text of system').click()
    await page.keyboard.press('ControlOrMeta+Home')
    await page.keyboard.type('Be brief. ')
    await editor(page, 'name').fill('Bob')
    await rendered(page).getByText('Be brief.').waitFor()
    await page.getByRole('tab', { name: 'Compare' }).click()
    const [first, second] = [1, 2].map((number) => page.getByRole('region', { name: `Text ${number}` }))
    if (first === undefined || second === undefined) throw new Error('two sides')
    await second.getByText('Be brief.').waitFor()
    expect(await first.getByText('Be brief.').count()).toBe(0)
    for (const side of [first, second]) await side.getByText('Greet Bob in prose.').waitFor()
    await page.getByRole('checkbox', { name: 'Mark differences' }).check()
    await eventually(async () => (await second.locator('ins').allInnerTexts()).join('')).toContain('Be brief')
    await second.getByRole('combobox', { name: 'Model' }).fill('gpt-other')
    playground.upstream.script((request: RecordedRequest) =>
      stream([`Answer of ${request.body['model']}, ${request.text.includes('Be brief') ? 'brief' : 'long'}`]),
    )
    await page.getByRole('button', { name: 'Run all' }).click()
    await first.getByText('Answer of gpt, long').waitFor()
    await second.getByText('Answer of gpt-other, brief').waitFor()
    for (const side of [first, second]) await side.getByText(/first token after \d+ ms/).waitFor()
    await page.getByRole('button', { name: 'Add a text' }).click()
    await page.getByRole('region', { name: 'Text 3' }).waitFor()
    await page.getByRole('button', { name: 'Remove text 3' }).click()
    await page.getByRole('tab', { name: /^Preview/ }).click()
    await page.getByRole('tab', { name: 'Compare' }).click()
    await second.getByText('Answer of gpt-other, brief').waitFor()
  })
})

describe('going anywhere', () => {
  it('opens documents, views and actions by a few keys', async () => {
    const page = await open('')
    await page.getByRole('listbox').getByRole('option').first().waitFor()
    await page.keyboard.press('ControlOrMeta+k')
    const field = page.getByRole('combobox', { name: 'Go to' })
    await field.fill('b.gret')
    await page.getByRole('dialog').getByRole('option', { name: 'b.greet' }).first().waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'b.greet', exact: true }).waitFor()
    await page.keyboard.press('ControlOrMeta+k')
    await field.fill('compare')
    await page.keyboard.press('Enter')
    await page.getByRole('tab', { name: 'Compare', selected: true }).waitFor()
    await page.keyboard.press('ControlOrMeta+k')
    await field.fill('edit a draft')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('ControlOrMeta+k')
    await field.waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  it('finds words in texts, with typing mistakes, and marks them', async () => {
    const page = await open('')
    await page.getByRole('searchbox').fill('kind rules')
    const row = page.getByRole('option', { name: /b\.greet/ }).first()
    await row.getByText('line 1').waitFor()
    expect(await row.locator('mark').allInnerTexts()).toContain('kind')
    await row.click()
    await page.getByRole('heading', { name: 'b.greet', exact: true }).waitFor()
    await page.locator('.text-view .marked').first().waitFor()
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('combobox', { name: 'Go to' }).fill('handeld')
    await page.getByRole('dialog').getByText('Errors are handled with great care.').waitFor()
  })

  it.each([
    ['#/environ/team.rules', ['b.greet', 'b.long']],
    ['#/tool/docs.find', ['b.whole', 'b.helper']],
    ['#/prompt/b.greet_line/about', ['b.whole']],
  ])('shows what uses %s', async (hash, users) => {
    const page = await open(hash)
    const links = page.getByRole('region', { name: 'Used by' }).getByRole('link')
    await eventually(() => links.allInnerTexts()).toEqual(users)
    await links.first().click()
    await page.getByRole('heading', { name: users[0] ?? '', exact: true }).waitFor()
  })

  it('links the tools that an agent names by a pattern', async () => {
    const page = await open('#/agent/b.other')
    await page.getByRole('region', { name: 'Tools' }).getByText('notes.*', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'notes.read' }).click()
    await page.getByRole('heading', { name: 'notes.read' }).waitFor()
  })

  it('shows where the tokens of a prompt come from', async () => {
    const page = await open('#/prompt/b.greet/about')
    const bill = page.getByRole('region', { name: /^Where its \d+ tokens come from/ })
    await bill.getByText('team.rules').waitFor()
    await bill.getByText(/A prefix cache can keep \d+ tokens/).waitFor()
  })
})

describe('the editor', () => {
  it('offers what can be named, takes it with Enter, and says below a line what is wrong with it', async () => {
    const page = await open('#/prompt/b.greet')
    await page.getByRole('button', { name: 'Edit a draft' }).click()
    await editor(page, 'Text of system').click()
    await page.keyboard.press('ControlOrMeta+End')
    await page.keyboard.type(' {{.te')
    await page.locator('.cm-offer li').getByText('team').waitFor()
    await page.keyboard.press('Enter')
    await page.keyboard.type('.')
    await page.locator('.cm-offer li').getByText('rules').waitFor()
    await page.locator('.cm-message').waitFor()
    await page.keyboard.press('Enter')
    await page.keyboard.type('}}')
    await eventually(() => page.locator('.cm-message').count()).toBe(0)
    await eventually(async () => (await rendered(page).first().innerText()).split('great care').length).toBe(
      3,
    )
    await page.keyboard.type(' {{.variables.')
    await page.locator('.cm-offer li').getByText('tone').waitFor()
    await page.keyboard.press('Escape')
    expect(await page.locator('.cm-offer').count()).toBe(0)
  })

  it('leads from the cursor to the preview, and from the preview to the line and its action', async () => {
    const page = await open('#/prompt/b.long')
    await rendered(page).waitFor()
    await page.getByRole('button', { name: 'Edit a draft' }).click()
    await editor(page, 'Text of user').click()
    await page.keyboard.press('ControlOrMeta+End')
    await page.keyboard.press('ArrowLeft')
    await page.locator('.lit').first().waitFor()
    expect(await page.locator('.lit').first().innerText()).toContain('Errors are handled')
    expect(await isInSight(page, '.lit')).toBe(true)
    await rendered(page).locator('.span-environ').nth(3).click()
    await eventually(() => page.locator('.cm-here').allInnerTexts()).toEqual(['{{.team.rules}}'])
  })
})

it('shows a task with its result first, its phases and steps in time, its tokens and cost', async () => {
  playground.upstream.script((request: RecordedRequest) => {
    const phase = phaseOf(request.body)
    const usage = { prompt_tokens: 10, completion_tokens: 5 }
    if (phase === 'plan')
      return completion(
        JSON.stringify({
          plan_id: 'p',
          steps: [
            { step_id: 'a', step_name: 'Say hello' },
            { step_id: 'b', step_name: 'Say goodbye', dependencies: ['a'] },
          ],
        }),
        { usage },
      )
    if (phase === 'evaluate') return completion(JSON.stringify(evaluation(97, 98, true)), { usage })
    return completion('**hello**', { usage })
  })
  const page = await open('#/tasks')
  await page.getByRole('textbox', { name: 'Task description' }).fill('Greet')
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByRole('heading', { name: /completed/ }).waitFor()
  const outcome = page.getByRole('region', { name: 'Outcome' })
  await outcome.locator('strong').getByText('hello').waitFor()
  await outcome.getByText('Ended because the result is correct.').waitFor()
  const round = page.getByRole('region', { name: 'Round 1' })
  expect((await outcome.boundingBox())?.y).toBeLessThan((await round.boundingBox())?.y ?? 0)
  for (const phase of ['Planning', 'Steps', 'Evaluation'])
    await round.getByText(phase, { exact: true }).waitFor()
  expect(await round.locator('.phase-row .bar').count()).toBe(3)
  expect(await round.locator('.step .bar').count()).toBe(2)
  await page
    .locator('.task-facts')
    .getByText(/\d+ \+ \d+ tokens/)
    .waitFor()
  await page
    .locator('.task-facts')
    .getByText(/cost \d/)
    .waitFor()
  await round.getByText('Say goodbye').click()
  await round.getByText('after step 1').waitFor()
  // What is inside of a step has no rule of its own.
  const rules = await page.evaluate(
    "[...document.querySelectorAll('.step details details')].map((each) => getComputedStyle(each).borderLeftWidth)",
  )
  expect(new Set(rules as string[])).toEqual(new Set(['0px']))
})

it('hears of what waits without being asked, and of its answer', async () => {
  const page = await open('')
  const activity = page.getByRole('navigation').getByRole('link', { name: /^Activity/ })
  await activity.waitFor()
  playground.upstream.script(streamCalling('docs_find', { q: 'x' }, 'Let me look.'), stream(['Done.']))
  await askHelper(playground.url, 'b.helper')
  await activity.locator('.waits').waitFor()
  await page.getByRole('region', { name: 'Waiting for you' }).waitFor()
  const inbox = await fetch(`${playground.url}/api/approvals?status=pending`)
  const { items } = JSON.parse(await inbox.text())
  await postJson(`${playground.url}/api/approvals/${items[0].id}`, { decision: 'approve' })
  await activity.locator('.waits').waitFor({ state: 'detached' })
})

/** One that passes, and one that asks for what the prompt does not say. */
const TESTS = `tests:
  - { name: greets, prompt: p.greet, vars: { name: Bob }, assert: [{ type: contains, value: Hello Bob }] }
  - { name: says farewell, prompt: p.greet, vars: { name: Bob }, assert: [{ type: contains, value: See you }] }
`

/** What an owner of a folder sees: a catalog of YAML files that the page may write. */
describe('a folder', () => {
  it('takes a draft home: in its own format, as a diff, as a command, and by Save unless somebody was first', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'aps-folder-'))
    const file = join(folder, 'templates/p/greet.yaml')
    await mkdir(dirname(file), { recursive: true })
    const text =
      '# How we greet\nuserPrompt: |\n  Hello {{.variables.name}}\n  and goodbye\nparameters: [{name: name, type: string, default: Ada}]\n'
    writeFileSync(file, text)
    await mkdir(join(folder, 'tests'))
    writeFileSync(join(folder, 'tests/greet.test.yaml'), TESTS)
    writeFileSync(join(folder, 'templates/p/broken.yaml'), 'userPrompt: |\n  Hello\nparameters: [\n')
    const service = await startService({ CATALOG_DIR: folder, PAGE_SAVE: 'true', MAX_LOOP_DELAY_MS: '0' })
    const browser = await startBrowser()
    try {
      const context = await browser.newContext({
        permissions: ['clipboard-read', 'clipboard-write'],
        locale: 'en',
      })
      const page = await context.newPage()
      page.setDefaultTimeout(40_000)
      const clipboard = () => page.evaluate('navigator.clipboard.readText()') as Promise<string>
      await page.goto(`${service.url}/#/prompt/p.greet/about`)
      const tests = page.getByRole('region', { name: 'Tests: 2' })
      await tests.getByRole('button', { name: 'Run the tests' }).click()
      await tests.getByText('passed: 1, failed: 1').waitFor()
      await tests.locator('.wrong').getByText('See you').first().waitFor()
      expect(await accessibilityProblems(page)).toEqual([])
      await page.getByRole('tab', { name: /^Preview/ }).click()
      await rendered(page).waitFor()
      await page.getByRole('button', { name: 'Edit a draft' }).click()
      await editor(page, 'Text of user').click()
      await page.keyboard.press('ControlOrMeta+End')
      await page.keyboard.type('See you.\n')
      await page.getByRole('tab', { name: 'About' }).click()
      await tests.getByRole('button', { name: 'Test the draft' }).click()
      await tests.getByText('passed: 2, failed: 0').waitFor()
      await page.getByRole('tab', { name: /^Preview/ }).click()
      await page.getByRole('button', { name: 'Take home' }).click()
      await page.getByText('templates/p/greet.yaml').waitFor()
      await eventually(() =>
        page.locator('.line-diff [class^=line-]:not(.line-same)').allInnerTexts(),
      ).toEqual(['+   See you.'])
      await page.getByRole('button', { name: 'Copy diff' }).click()
      await eventually(clipboard).toContain('+++ b/templates/p/greet.yaml\n@@')
      await page.getByRole('button', { name: 'Copy as push' }).click()
      await eventually(clipboard).toContain(`cat > ${file} <<'DRAFT'\n# How we greet\n`)
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('Saved.').waitFor()
      expect(readFileSync(file, 'utf8')).toBe(text.replace('and goodbye\n', 'and goodbye\n  See you.\n'))
      await rendered(page).getByText('See you.').waitFor()

      await page.getByRole('button', { name: 'Edit a draft' }).click()
      await page.getByRole('tab', { name: 'Document' }).click()
      await editor(page, 'Document').click()
      await page.keyboard.press('ControlOrMeta+Home')
      await page.keyboard.type('# Mine\n')
      writeFileSync(file, text.replace('Hello', 'Welcome'))
      await page.getByText('The stored text has changed since this draft was started.').waitFor()
      await page.getByRole('button', { name: 'Take home' }).click()
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByRole('alert').getByText('The file changed since it was read.').waitFor()
      expect(await accessibilityProblems(page)).toEqual([])
      expect(readFileSync(file, 'utf8')).toContain('Welcome')

      await page.goto(`${service.url}/#/prompt/p.broken`)
      await page.getByRole('button', { name: 'Edit a draft' }).click()
      await page.locator('.cm-message').waitFor()
      await editor(page, 'Document').click()
      await page.keyboard.press('ControlOrMeta+End')
      await page.keyboard.type(']')
      await rendered(page).getByText('Hello').waitFor()
      await page.getByRole('button', { name: 'Take home' }).click()
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('Saved.').waitFor()
      expect(readFileSync(join(folder, 'templates/p/broken.yaml'), 'utf8')).toBe(
        'userPrompt: |\n  Hello\nparameters: [\n]',
      )
    } finally {
      await browser.close()
      await service.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

it('complained of nothing but what was asked for', () => {
  const asked = /status of (400|404)/
  expect(opened.flatMap(({ complaints }) => complaints).filter((each) => !asked.test(each))).toEqual([])
})
