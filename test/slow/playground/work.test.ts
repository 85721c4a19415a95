import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { stream } from '../../../src/testing.js'
import { streamCalling } from '../../support/agent-service.js'
import { askHelper } from '../../support/ask-helper.js'
import { BUNDLED_IDS } from '../../support/bundled-ids.js'
import { eventually } from '../../support/eventually.js'
import { holdRequests } from '../../support/hold-requests.js'
import { release, version } from '../../support/lives.js'
import { type Playground, startPlayground, type WatchedPage } from '../../support/playground.js'

const LONG = Array.from({ length: 120 }, (_, index) => `Line ${index + 1} of {{.variables.topic}}.`)
const FIRST = version('w.lived', 1, { userPrompt: 'Good day, {{.variables.name}}.' })
const TABLET = { viewport: { width: 1024, height: 768 } }
const PHONE = { viewport: { width: 390, height: 844 } }

let playground: Playground
const opened: WatchedPage[] = []

beforeAll(async () => {
  const tool = { module: 'docs', type: 'restful', parameters: [{ name: 'q', type: 'string' }] }
  playground = await startPlayground({
    redisUrl: inject('redisUrl'),
    documents: {
      'templates:w:long': {
        userPrompt: [...LONG, 'At last {{.team.rules}}.'].join('\n'),
        parameters: [{ name: 'topic', type: 'string', default: 'it' }],
      },
      'templates:w:letter': {
        userPrompt: 'Dear {{.variables.name}},\n{{.variables.text}}',
        parameters: [
          { name: 'name', type: 'string' },
          { name: 'text', type: 'string' },
        ],
        examples: { short: { name: 'Ada', text: 'Yes.' }, long: { name: 'Bob', text: 'Not at all.' } },
      },
      'templates:w:act': {
        userPrompt: '{{docs_send .variables.title}}',
        parameters: [{ name: 'title', type: 'string' }],
      },
      'templates:w:lived': { userPrompt: 'Hello, {{.variables.name}}.' },
      'templates:w:lived@1': FIRST.document,
      'releases:w:lived:production': release(FIRST),
      'templates:w:told': { userPrompt: 'What is told.' },
      'templates:w:plain': { userPrompt: 'One stored text.' },
      'templates:w:good': { userPrompt: 'Good once.' },
      'environs:variables:mine': '1',
      'templates:w:wrong': '{"userPrompt": "{{if .variables.x}}\\nnever closed"}',
      'environs:team:rules': 'short and plain',
      'tools:docs:send': { ...tool, name: 'send', url: '/send' },
      'tools:docs:search': { ...tool, name: 'search', url: '/search', readOnly: true },
      'agents:w:xylophone': { description: 'Plays', instructions: 'Play.' },
      'agents:w:helper': {
        ...{ description: 'Helps', instructions: 'Help.', tools: ['docs.search'] },
        approvals: { ask: ['docs.search'] },
      },
    },
  })
})

afterAll(() => playground.close())

async function open(hash: string, options = {}): Promise<Page> {
  const watched = await playground.open(hash, options)
  opened.push(watched)
  return watched.page
}

const rendered = (page: Page) => page.locator('.rendered-text')
const log = (page: Page) => page.getByRole('log')
const option = (page: Page, id: string) => page.getByRole('option', { name: id })
const callsOfSend = async () => {
  const metrics = await (await fetch(`${playground.url}/metrics`)).text()
  return Number(/tool_calls_total\{tool="docs\.send",outcome="ok"\} (\d+)/.exec(metrics)?.[1] ?? 0)
}

async function write(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Text of user' }).click()
  await page.keyboard.press('ControlOrMeta+a')
  // First, as the browser would wrap what replaces coloured text into styles of its own.
  await page.keyboard.press('Delete')
  await page.keyboard.insertText(text)
}

/** Whether a part of the page is where a person sees it. */
async function isInSight(page: Page, selector: string): Promise<boolean> {
  const box = await page.locator(selector).first().boundingBox()
  const height = page.viewportSize()?.height ?? 0
  return box !== null && box.y >= 0 && box.y < height
}

describe('acting', () => {
  it('is a button that names the tool: typing and changes call nothing', async () => {
    const page = await open('#/prompt/w.act')
    await page.getByRole('checkbox', { name: 'Call read-only tools' }).check()
    await page.getByRole('textbox', { name: 'title' }).pressSequentially('Fire')
    await rendered(page).getByText('[docs_send "Fire"]').waitFor()
    await playground.set({ 'environs:team:unrelated': { changed: 1 } })
    expect(await callsOfSend()).toBe(0)
    await page.getByRole('button', { name: 'Run docs_send' }).click()
    await rendered(page).getByText('answer to {"q":"Fire"}').waitFor()
    expect(await callsOfSend()).toBe(1)
    await playground.set({ 'templates:w:newcomer': { userPrompt: 'new' } })
    await option(page, 'w.newcomer').waitFor()
    expect(await rendered(page).innerText()).toContain('answer to')
    await page.getByRole('textbox', { name: 'title' }).fill('Water')
    await rendered(page).getByText('[docs_send "Water"]').waitFor()
    expect(await callsOfSend()).toBe(1)
  })
})

it('calls a tool with what is in its form, once for each click', async () => {
  const page = await open('#/tool/docs.send')
  const before = await callsOfSend()
  await page.getByText('may change something').waitFor()
  await page.getByRole('textbox', { name: 'q' }).fill('by hand')
  expect(await callsOfSend()).toBe(before)
  await page.getByRole('button', { name: 'Run docs_send' }).click()
  await page.getByRole('region', { name: 'Outcome' }).getByText('by hand').first().waitFor()
  expect(await callsOfSend()).toBe(before + 1)
})

it('starts one task for two clicks, and says in the list how it goes', async () => {
  playground.upstream.script({ status: 400, pieces: ['{}'] })
  const page = await open('#/tasks')
  await page.getByRole('textbox', { name: 'Task description' }).fill('Only once')
  await page.getByRole('button', { name: 'Start' }).dblclick()
  const head = page.getByRole('heading', { name: /Only once/ })
  await head.getByText(/failed|exhausted|completed/).waitFor()
  const rows = page.getByRole('region', { name: 'All tasks' }).getByRole('link', { name: /Only once/ })
  expect(await rows.count()).toBe(1)
  const status = (await head.locator('.badge').innerText()).trim()
  await eventually(() => rows.locator('.badge').innerText()).toBe(status)
})

/** What the first load may cost, compressed, without the answers of the API. */
const MAX_FIRST_LOAD = 45 * 1024

it('comes in a few kilobytes', async () => {
  const page = await open('')
  await option(page, 'w.letter').waitFor()
  const bytes = await page.evaluate(
    `[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
      .filter(({ name }) => !name.includes('/api/'))
      .reduce((sum, { transferSize }) => sum + transferSize, 0)`,
  )
  expect(bytes).toBeGreaterThan(10 * 1024)
  expect(bytes).toBeLessThanOrEqual(MAX_FIRST_LOAD)
})

it('begins with prompts that open filled in', async () => {
  const page = await open('')
  const first = page.getByRole('region', { name: 'Start with' }).getByRole('listitem')
  await first.getByText('example: short').waitFor()
  expect(await first.count()).toBe(1)
  await first.getByRole('link', { name: 'w.letter' }).click()
  await rendered(page).getByText('Yes.').waitFor()
})

it('keeps nothing of a draft that was left', async () => {
  const page = await open('#/prompt/w.letter')
  const devTools = await page.context().newCDPSession(page)
  const nodes = async () => {
    await devTools.send('HeapProfiler.collectGarbage')
    return (await devTools.send('Memory.getDOMCounters')).nodes
  }
  const draftAndLeave = async () => {
    await page.goto(`${playground.url}/#/prompt/w.letter`)
    await page.getByRole('textbox', { name: 'Text of user' }).waitFor()
    await page.goto(`${playground.url}/#/prompt/w.long`)
    await page.getByRole('heading', { name: 'w.long' }).waitFor()
  }
  await page.getByRole('button', { name: 'Edit a draft' }).click()
  const heap = async () => (await devTools.send('Runtime.getHeapUsage')).usedSize
  const rules = async () => {
    await page.goto(`${playground.url}/#/prompt/w.letter`)
    await page.getByRole('textbox', { name: 'Text of user' }).waitFor()
    return page.evaluate(
      'document.querySelector("[data-editor]").shadowRoot.adoptedStyleSheets.reduce((all, { cssRules }) => all + cssRules.length, 0)',
    )
  }
  for (let round = 0; round < 20; round += 1) await draftAndLeave()
  const before = { nodes: await nodes(), heap: await heap(), rules: await rules() }
  for (let round = 0; round < 200; round += 1) await draftAndLeave()
  // Each editor has some two hundred nodes and takes 50 kB.
  expect((await nodes()) - before.nodes).toBeLessThan(10 * 200)
  expect((await heap()) - before.heap).toBeLessThan(200 * 15_000)
  expect(await rules()).toBe(before.rules)
})

it('keeps nothing of a draft that was discarded', async () => {
  const page = await open('#/prompt/w.long')
  const devTools = await page.context().newCDPSession(page)
  const counters = async () => {
    await devTools.send('HeapProfiler.collectGarbage')
    return devTools.send('Memory.getDOMCounters')
  }
  const draftAndDiscard = async () => {
    await page.getByRole('button', { name: 'Edit a draft' }).click()
    await page.getByRole('textbox', { name: 'Text of user' }).waitFor()
    await page.getByRole('button', { name: 'Discard draft' }).click()
    await page.locator('.text-view').waitFor()
  }
  for (let round = 0; round < 5; round += 1) await draftAndDiscard()
  const before = await counters()
  for (let round = 0; round < 30; round += 1) await draftAndDiscard()
  const after = await counters()
  // Each editor had a hundred nodes and thirty listeners.
  expect(after.nodes - before.nodes).toBeLessThan(30 * 50)
  expect(after.jsEventListeners - before.jsEventListeners).toBeLessThan(30 * 10)
})

describe('work', () => {
  it('keeps a chat that goes on while one looks elsewhere, and has it after a reload', async () => {
    playground.upstream.script(stream(['First ', 'and ', 'last.'], { pieceMs: 1_000 }))
    const page = await open('#/prompt/w.plain')
    await page.getByRole('tab', { name: 'Chat' }).click()
    await page.getByRole('button', { name: 'Send' }).click()
    await log(page).getByText('First').waitFor()
    await page.getByRole('tab', { name: /^Preview/ }).click()
    await option(page, 'w.letter').click()
    await page.getByRole('heading', { name: 'w.letter' }).waitFor()
    await page.goBack()
    await page.getByRole('tab', { name: 'Chat' }).click()
    await log(page).getByText('First and last.').waitFor()
    await page.getByText(/first token after/).waitFor()
    await page.reload()
    await log(page).getByText('First and last.').waitFor()
    await page.goto(`${playground.url}/#/activity`)
    await page.reload()
    const chats = page.getByRole('region', { name: 'Chats' })
    await chats.getByText('messages: 1').waitFor()
    await page.getByText('In progress', { exact: true }).click()
    await chats.getByText('Nothing is in progress.').waitFor()
    await page.getByText('All', { exact: true }).click()
    await chats.getByRole('link', { name: 'w.plain' }).click()
    await log(page).getByText('First and last.').waitFor()
  })

  it('shows that an answer is awaited before its first word', async () => {
    playground.upstream.script(stream(['Late.'], { delayMs: 2_000 }))
    const page = await open('#/prompt/w.plain/chat')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText(/waiting for the model: \d+\.\d s/).waitFor()
    await log(page).getByText('Late.').waitFor()
    expect(await page.locator('.awaited').count()).toBe(0)
  })

  it('never ends a turn by leaving: it waits, and is found again after a reload', async () => {
    playground.upstream.script(
      streamCalling('docs_search', { q: 'gold' }, 'Let me look.'),
      stream(['Found.']),
    )
    const page = await open('#/agent/w.helper')
    await page.getByRole('textbox', { name: 'Message to the agent' }).fill('Find gold')
    await page.keyboard.press('Enter')
    const approve = page.getByRole('button', { name: 'Approve', exact: true })
    await approve.waitFor()
    expect(await log(page).locator('.activity .badge').innerText()).toBe('waiting')
    await page.goto(`${playground.url}/#/prompt/w.plain`)
    await page.getByRole('heading', { name: 'w.plain' }).waitFor()
    await page.goBack()
    await approve.waitFor()
    await page.reload()
    await log(page).getByText('Find gold').waitFor()
    await approve.click()
    await log(page).getByText('Found.').waitFor()
  })

  it('shows everything that waits for a person in one place, and answers it there', async () => {
    playground.upstream.script(
      streamCalling('docs_search', { q: 'inbox' }, 'Let me look.'),
      stream(['Done.']),
    )
    const page = await open('#/agent/w.helper')
    await page.getByRole('textbox', { name: 'Message to the agent' }).fill('Look')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor()
    const activity = page.getByRole('navigation').getByRole('link', { name: /^Activity/ })
    await activity.locator('.waits').waitFor()
    await activity.click()
    const inbox = page.getByRole('region', { name: 'Waiting for you' })
    await inbox.getByRole('link', { name: 'w.helper' }).waitFor()
    expect(JSON.parse(await inbox.getByRole('textbox', { name: 'Arguments' }).inputValue())).toEqual({
      q: 'inbox',
    })
    await inbox.getByRole('button', { name: 'Approve', exact: true }).click()
    await inbox.getByText('No approval requests.').waitFor()
    await page.goBack()
    await log(page).getByText('Done.').waitFor()
  })

  it('keeps the buttons of an approval request in their place while the rest is loaded', async () => {
    playground.upstream.script(
      streamCalling('docs_search', { q: 'still' }, 'Let me look.'),
      stream(['Done.']),
    )
    await askHelper(playground.url, 'w.helper')
    const page = await open('')
    const letGo = await holdRequests(page, /\/api\/sessions\?/)
    await page.goto(`${playground.url}/#/activity`)
    const inbox = page.getByRole('region', { name: 'Waiting for you' })
    const approve = inbox.getByRole('button', { name: 'Approve', exact: true })
    await approve.waitFor()
    const before = await approve.boundingBox()
    letGo()
    await inbox.getByRole('link', { name: 'w.helper' }).waitFor()
    expect(await approve.boundingBox()).toEqual(before)
    await approve.click()
    await inbox.getByText('No approval requests.').waitFor()
  })

  it('marks prompts with a draft, and says when the stored text changed under it', async () => {
    const page = await open('#/prompt/w.plain')
    await page.getByRole('button', { name: 'Edit a draft' }).click()
    await write(page, 'One text of mine.')
    await option(page, 'w.plain').getByText('has a draft').waitFor({ state: 'attached' })
    await page
      .locator('.draft-state')
      .getByText(/based on [0-9a-f]{8}/)
      .waitFor()
    await playground.set({ 'templates:w:plain': { userPrompt: 'Another stored text.' } })
    await page.getByText('The stored text has changed since this draft was started.').waitFor()
    await eventually(() => rendered(page).innerText()).toBe('One text of mine.')
    await page.getByRole('button', { name: 'Keep the draft' }).click()
    await page
      .getByText('The stored text has changed since this draft was started.')
      .waitFor({ state: 'detached' })
    await page.reload()
    await option(page, 'w.plain').getByText('has a draft').waitFor({ state: 'attached' })
    expect(await page.title()).toBe('● w.plain · AI-Prompt-Shell')
  })

  it('compares nothing that does not render', async () => {
    const page = await open('#/prompt/w.plain')
    await page.getByRole('button', { name: 'Edit a draft' }).click()
    await page.getByRole('checkbox', { name: 'Show what the draft changes' }).check()
    await page.getByText('No difference').waitFor()
    await write(page, '{{if .variables.x}} open')
    await page.getByRole('alert').getByText('template_syntax').waitFor()
    expect(await page.getByText('No difference').count()).toBe(0)
  })
})

describe('the panes', () => {
  it('keep a stretch where it is, and bring its place into sight', async () => {
    const page = await open('#/prompt/w.long')
    const stretch = page.getByRole('button', { name: 'short and plain' })
    await stretch.scrollIntoViewIfNeeded()
    const before = await stretch.boundingBox()
    await stretch.click()
    await page.locator('.text-view .marked').getByText('.team.rules').waitFor()
    expect(await stretch.boundingBox()).toEqual(before)
    await eventually(() => isInSight(page, '.text-view .marked')).toBe(true)
    expect(await page.locator('.here').allInnerTexts()).toEqual(['{{', '.team.rules', '}}'])
  })

  it('show what a place of the template made', async () => {
    const page = await open('#/prompt/w.long')
    await rendered(page).waitFor()
    await page.locator('.text-view li').nth(99).getByText('.variables.topic').click()
    await eventually(() => page.locator('.lit').allInnerTexts()).toEqual(['it'])
    await eventually(() => isInSight(page, '.lit')).toBe(true)
  })

  it.each([
    ['a tablet', TABLET],
    ['a phone', PHONE],
  ])('have the result first on %s', async (_, options) => {
    const page = await open('#/prompt/w.long', options)
    await rendered(page).waitFor()
    expect(await isInSight(page, '.rendered-text')).toBe(true)
    await page.getByRole('button', { name: 'Write' }).click()
    await page.getByRole('textbox', { name: 'topic' }).fill('gold')
    await page.getByRole('button', { name: 'Result' }).click()
    await page.getByRole('button', { name: 'gold' }).first().click()
    await page.locator('.text-view .marked').getByText('Line 1 of').waitFor()
    await page.getByRole('region', { name: 'Origin' }).getByText('variables.topic').waitFor()
  })

  it('are as far scrolled as they were, and the address has the view', async () => {
    const page = await open('#/prompt/w.long')
    await rendered(page).waitFor()
    const top = () => page.evaluate('document.querySelector(".pane-result").scrollTop')
    await page.evaluate('document.querySelector(".pane-result").scrollTop = 900')
    await eventually(top).toBe(900)
    await option(page, 'w.letter').click()
    await page.getByRole('heading', { name: 'w.letter' }).waitFor()
    await page.goBack()
    await eventually(top).toBe(900)
    expect(await page.title()).toBe('w.long · AI-Prompt-Shell')
    await page.getByRole('tab', { name: 'Code' }).click()
    await eventually(() => page.url()).toContain('#/prompt/w.long/code')
    await page.reload()
    await page.getByRole('tab', { name: 'Code', selected: true }).waitFor()
  })

  it('follow an answer, with the composer in sight', async () => {
    const words = Array.from({ length: 400 }, (_, index) => `Word ${index}.\n\n`)
    playground.upstream.script(stream(words))
    const page = await open('#/prompt/w.letter/chat')
    await page.getByRole('button', { name: 'Send' }).click()
    await log(page).getByText('Word 399.').waitFor()
    await eventually(() => isInSight(page, '.composer')).toBe(true)
    const gap = 'document.querySelector(".pane-result")'
    await eventually(() =>
      page.evaluate(`${gap}.scrollHeight - ${gap}.scrollTop - ${gap}.clientHeight < 150`),
    ).toBe(true)
  })
})

describe('at rest', () => {
  it('opens with an example filled in, and offers the others', async () => {
    const page = await open('#/prompt/w.letter')
    await rendered(page).getByText('Yes.').waitFor()
    await page.getByRole('combobox', { name: 'Example' }).selectOption('long')
    await rendered(page).getByText('Not at all.').waitFor()
    expect(await page.getByRole('textbox', { name: 'name' }).inputValue()).toBe('Bob')
  })

  it('has nothing red on any bundled prompt', async () => {
    const page = await open('')
    for (const id of BUNDLED_IDS) {
      await page.goto(`${playground.url}/#/prompt/${id}`)
      await page.getByRole('heading', { name: id, exact: true }).waitFor()
      await page.locator('.pane-result .rendered-text, .missing-list').first().waitFor()
      expect(await page.locator('[role=alert], [aria-invalid=true], .wrong').count(), id).toBe(0)
    }
  })
})

it('lists versions and labels, compares two of them, and gives the command that promotes one', async () => {
  const page = await open('#/prompt/w.lived', { permissions: ['clipboard-read', 'clipboard-write'] })
  await page.getByRole('textbox', { name: 'name' }).fill('Ada')
  await page.getByRole('tab', { name: /^Versions/ }).click()
  await page.locator('.versions li').getByText('production').waitFor()
  const diff = page.getByRole('region', { name: 'Difference' })
  await diff.getByText('Ada').waitFor()
  await eventually(() => diff.locator('ins').allInnerTexts()).toEqual(['Hello'])
  await page.getByRole('button', { name: 'Copy as promote' }).click()
  await eventually(() => page.evaluate('navigator.clipboard.readText()')).toBe(
    'npx ai-prompt-shell promote w.lived 1 --to production\n',
  )
  await page.getByRole('combobox', { name: 'after' }).selectOption('1')
  await page.getByText('No difference').waitFor()
  await page.getByRole('tab', { name: 'Compare' }).click()
  const second = page.getByRole('region', { name: 'Text 2' })
  for (const subject of ['@1', 'production']) {
    await second.getByRole('combobox', { name: 'What is compared' }).selectOption(subject)
    await second.getByText('Good day, Ada.').waitFor()
    await second.getByRole('combobox', { name: 'What is compared' }).selectOption('Stored')
    await second.getByText('Hello, Ada.').waitFor()
  }
})

it('has small things in order: badges, colours of states, code, boxes, the bar below', async () => {
  const page = await open('#/prompt/w.letter/code', { ...PHONE, hasTouch: true, isMobile: true })
  const measure = <Value>(script: string) => page.evaluate(script) as Promise<Value>
  await page.locator('.code-sample pre').waitFor()
  expect(
    await measure(
      "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.code-sample pre'))",
    ),
  ).toBe(0)
  expect(await page.locator('.entry-title .badge[title]').count()).toBe(3)
  const colours = await measure<
    readonly string[]
  >(`['running', 'exhausted', 'waiting', 'completed', 'failed'].map((state) => {
    const badge = document.createElement('span')
    badge.className = 'badge status-' + state
    document.body.append(badge)
    const { color, backgroundColor } = getComputedStyle(badge)
    badge.remove()
    return color + backgroundColor
  })`)
  expect(new Set(colours).size).toBe(5)
  await page.getByRole('tab', { name: /^Preview/ }).click()
  await rendered(page).first().waitFor()
  const box = await page.getByRole('checkbox', { name: 'Call read-only tools' }).boundingBox()
  expect(box?.width).toBeGreaterThanOrEqual(20)
  const [pane, bar] = [
    await page.locator('.pane-result').boundingBox(),
    await page.locator('.status-bar').boundingBox(),
  ]
  expect((pane?.y ?? 0) + (pane?.height ?? 0)).toBeLessThanOrEqual((bar?.y ?? 0) + 1)
  await page.goto(`${playground.url}/#/environ/team.rules`)
  await page
    .locator('.entry-title .badge')
    .getByText('context', { exact: true })
    .waitFor({ state: 'attached' })
})

it('shows what was published and promoted, and by whom', async () => {
  const published = await playground.cli('publish', 'w.told', '-m', 'First words')
  expect(published).toMatchObject({ code: 0 })
  expect(await playground.cli('promote', 'w.told', '1', '--to', 'production')).toMatchObject({ code: 0 })
  const page = await open('#/prompt/w.told/about', { permissions: ['clipboard-read', 'clipboard-write'] })
  const entries = page.getByRole('region', { name: 'History' }).getByRole('listitem')
  await entries.getByText('promote').waitFor()
  expect(await entries.count()).toBe(2)
  await entries.getByText('production → @1').waitFor()
  await entries.getByText('First words').waitFor()
  await entries
    .getByText(/^ann, /)
    .first()
    .waitFor()
  await page.getByRole('button', { name: 'Edit a draft' }).click()
  await page.getByRole('button', { name: 'Take home' }).click()
  await page.getByRole('button', { name: 'Copy as publish' }).click()
  await eventually(() => page.evaluate('navigator.clipboard.readText()')).toMatch(
    /push draft redis:[^\n]*\nnpx ai-prompt-shell publish w\.told --catalog redis:/,
  )
})

describe('finding', () => {
  it('opens the first with Enter, forgives a typing mistake, and names what is near', async () => {
    const page = await open('')
    await option(page, 'w.letter').waitFor()
    await page.getByRole('searchbox').fill('lettr')
    await option(page, 'w.letter').waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'w.letter' }).waitFor()
    await page.goto(`${playground.url}/#/prompt/w.leter`)
    await page.getByRole('region', { name: 'Did you mean' }).getByRole('link', { name: 'w.letter' }).click()
    await page.getByRole('heading', { name: 'w.letter' }).waitFor()
  })

  it('says where else something is, and takes letters of an id', async () => {
    const page = await open('')
    await option(page, 'w.letter').waitFor()
    await page.getByRole('searchbox').fill('xylophone')
    await page.getByRole('complementary').getByRole('button', { name: 'Agents 1' }).click()
    await option(page, 'w.xylophone').waitFor()
    await page.getByText('Prompts', { exact: false }).first().click()
    await page.getByRole('searchbox').press('Enter')
    await page.getByRole('heading', { name: 'w.xylophone' }).waitFor()
    await page.getByText('Prompts', { exact: false }).first().click()
    await page.getByRole('searchbox').fill('wltr')
    await option(page, 'w.letter').waitFor()
  })

  it('knows what is broken after a reload: what serves its last good version, and what is doubtful', async () => {
    await playground.set({ 'templates:w:good': '{"userPrompt": "{{broken"}' })
    const page = await open('#/problems')
    await page.getByRole('region', { name: 'w.good' }).getByText('line 1').waitFor()
    const doubt = page.getByRole('region', { name: 'variables.mine' })
    await doubt.locator('.warning').getByText('hidden while a prompt renders').waitFor()
    expect(await doubt.locator('.problem').count()).toBe(0)
    await page.reload()
    await option(page, 'w.good').getByText('broken').waitFor()
    await option(page, 'w.good').click()
    await rendered(page).getByText('Good once.').waitFor()
    await page.goto(`${playground.url}/#/prompt/w.wrong`)
    await page.getByText('Its variables are unknown until it can be read.').waitFor()
    expect(await page.locator('.problem').count()).toBe(1)
  })

  it('lists what is broken, with its line and what to do, and lets one put it right in a draft', async () => {
    const page = await open('')
    await option(page, 'w.wrong').getByText('broken').waitFor()
    await page
      .getByRole('complementary')
      .getByRole('link', { name: /Problems: \d+/ })
      .click()
    const problem = page.getByRole('region', { name: 'w.wrong' })
    await problem
      .getByText(/line \d+/)
      .first()
      .waitFor()
    await problem
      .getByText(/has no \{\{end\}\}/)
      .first()
      .waitFor()
    // One line for one mistake: that of the document.
    const lines = (await problem.locator('.problem').first().innerText()).match(/\bline \d+|:\d+:/g) ?? []
    expect(new Set(lines).size).toBe(1)
    await problem.getByRole('link', { name: 'w.wrong' }).click()
    await page.locator('.text-view').getByText('never closed').waitFor()
    await page.getByRole('button', { name: 'Edit a draft' }).click()
    await write(page, '{{if .variables.x}}x{{end}} is closed')
    await rendered(page).getByText('is closed').waitFor()
  })
})

it('complained of nothing but what was asked for', () => {
  const asked = /status of (400|404)/
  expect(opened.flatMap(({ complaints }) => complaints).filter((each) => !asked.test(each))).toEqual([])
})
