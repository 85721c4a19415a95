import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { completion, type RecordedRequest, stream } from '../../../src/testing.js'
import { streamCalling } from '../../support/agent-service.js'
import { postJson } from '../../support/ask-helper.js'
import { eventually } from '../../support/eventually.js'
import { type Playground, startPlayground, type WatchedPage } from '../../support/playground.js'
import { evaluation, phaseOf } from '../../support/task-setup.js'

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
/** Longer than any test waits. */
const NEVER_MS = 300_000

/** A value that is longer than a screen, and shown whole. */
const rows = (word: string) =>
  Array.from({ length: 4 }, (_, part) => Array.from({ length: 30 }, (_, row) => `${word} ${part * 30 + row}`))

let playground: Playground
const opened: WatchedPage[] = []

beforeAll(async () => {
  const tool = { module: 'docs', type: 'restful', parameters: [{ name: 'q', type: 'string' }] }
  playground = await startPlayground({
    redisUrl: inject('redisUrl'),
    documents: {
      'templates:k:letter': {
        userPrompt: 'Dear {{.variables.name}}, {{.variables.text}}',
        parameters: [
          { name: 'name', type: 'string' },
          { name: 'text', type: 'string' },
        ],
        examples: { short: { name: 'Ada', text: 'yes.' }, long: { name: 'Bob', text: 'not at all.' } },
      },
      'environs:team:long': rows('row'),
      'environs:team:other': rows('other'),
      'templates:k:plain': { userPrompt: 'One stored text.' },
      'templates:k:act': { userPrompt: '{{docs_search "x"}} {{docs_send "y"}}' },
      'tools:docs:send': { ...tool, name: 'send', url: '/send' },
      'tools:docs:search': { ...tool, name: 'search', url: '/search', readOnly: true },
      'agents:k:helper': {
        ...{ description: 'Helps', instructions: 'Help {{.variables.who}}.', tools: ['docs.search'] },
        parameters: [{ name: 'who', type: 'string', default: 'everybody' }],
        approvals: { ask: ['docs.search'] },
      },
      'agents:k:chief': {
        description: 'Leads',
        instructions: 'Lead.',
        tools: ['agent:k.helper', 'docs.send'],
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

async function isInSight(page: Page, selector: string): Promise<boolean> {
  const box = await page.locator(selector).first().boundingBox()
  return box !== null && box.y >= 0 && box.y + box.height <= (page.viewportSize()?.height ?? 0)
}

/** A task of one step, which asks before it looks something up. */
async function startTask(description: string): Promise<string> {
  const plan = {
    steps: [{ step_id: 'a', step_name: 'Look', tool_id: 'docs_search', parameters: { q: 'x' } }],
  }
  const answer = await postJson(`${playground.url}/api/tasks`, { description, agent: 'k.helper', plan })
  return JSON.parse(answer).id
}

describe('asking a model', () => {
  it('is a button at the preview, for a chat of its own; the one before it can be restored', async () => {
    playground.upstream.script(stream(['First.']), stream(['Second.']))
    const page = await open('#/prompt/k.plain')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('tab', { name: 'Chat', selected: true }).waitFor()
    await log(page).getByText('First.').waitFor()
    await page.getByText(/first token after/).waitFor()
    await page.getByRole('tab', { name: /^Preview/ }).click()
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await log(page).getByText('Second.').waitFor()
    expect(await log(page).getByText('First.').count()).toBe(0)
    await page.getByText(/first token after/).waitFor()
    await page.getByRole('button', { name: 'New chat' }).click()
    await page.getByRole('button', { name: 'Restore chat' }).click()
    await log(page).getByText('Second.').waitFor()
  })

  it('shows the rendered prompt as its beginning, asks again, and copies the answer', async () => {
    const page = await open('#/prompt/k.letter/chat', { permissions: ['clipboard-read', 'clipboard-write'] })
    await page.locator('.beginning').getByText('Dear Ada, yes.').waitFor()
    playground.upstream.script(stream(['Good.']), stream(['Better.']))
    await page.getByRole('button', { name: 'Send' }).click()
    await log(page).getByText('Good.').waitFor()
    await page.getByRole('button', { name: 'Again' }).click()
    await log(page).getByText('Better.').waitFor()
    expect(await log(page).getByText('Good.').count()).toBe(0)
    await page.getByRole('button', { name: 'Copy answer' }).click()
    await eventually(() => page.evaluate('navigator.clipboard.readText()')).toBe('Better.')
  })

  it('says before which tools may change something', async () => {
    const page = await open('#/prompt/k.act')
    await page.getByRole('button', { name: 'Run docs_search, docs_send' }).waitFor()
    await page.getByText('docs_send may change something', { exact: true }).waitFor()
    for (const name of ['Chat', 'Compare']) {
      await page.getByRole('tab', { name }).click()
      await page.getByText('Every answer calls docs_send, which may change something.').waitFor()
    }
    await page.goto(`${playground.url}/#/prompt/k.plain/chat`)
    await page.locator('.beginning').waitFor()
    expect(await page.getByText('may change something').count()).toBe(0)
  })

  it('draws headings, quotes, and lists in lists', async () => {
    playground.upstream.script(stream(['Text\n## Title\n> said\n\n1. one\n   - **in** it\n2. two\n\n---\n']))
    const page = await open('#/prompt/k.plain/chat')
    await page.getByRole('button', { name: 'Send' }).click()
    await log(page).locator('.heading-2').getByText('Title').waitFor()
    await log(page).locator('blockquote').getByText('said').waitFor()
    await log(page).locator('ol > li > ul > li strong').getByText('in').waitFor()
    await log(page).locator('hr').waitFor()
  })
})

describe('a reload', () => {
  it('in the middle of an answer keeps question, answer, model, parameters and what is written', async () => {
    playground.upstream.script(stream(['Begun ', 'and ended.'], { pieceMs: NEVER_MS }))
    const page = await open('#/prompt/k.letter/chat')
    const model = page.getByRole('combobox', { name: 'Model' })
    const message = page.getByRole('textbox', { name: /^Message/ })
    const temperature = page.getByRole('textbox', { name: 'temperature' })
    await model.fill('gpt-other')
    await page.getByText('Parameters').click()
    await temperature.fill('0.3')
    await message.fill('Why so short?')
    await page.getByRole('button', { name: 'Send' }).click()
    await log(page).getByText('Begun').waitFor()
    await message.fill('And then?')
    // Pieces of an answer are kept a moment later.
    await eventually(() => page.evaluate("sessionStorage.getItem('chat k.letter')")).toContain('Begun')
    await page.reload()
    await log(page).getByText('Why so short?').waitFor()
    await log(page).getByText('Begun').waitFor()
    await log(page).getByText('Stopped').waitFor()
    expect(await message.inputValue()).toBe('And then?')
    expect(await model.inputValue()).toBe('gpt-other')
    await page.getByText('Parameters').click()
    expect(await temperature.inputValue()).toBe('0.3')
  })

  it('keeps what is compared, with its answers', async () => {
    playground.upstream.script((request: RecordedRequest) => stream([`Answer of ${request.body['model']}`]))
    const page = await open('#/prompt/k.plain/compare')
    const side = (number: number) => page.getByRole('region', { name: `Text ${number}` })
    await side(2).getByRole('combobox', { name: 'Model' }).fill('gpt-other')
    await page.getByRole('button', { name: 'Run all' }).click()
    await side(1).getByText('Answer of gpt', { exact: true }).waitFor()
    await side(2).getByText('Answer of gpt-other').waitFor()
    await eventually(() => page.evaluate("sessionStorage.getItem('comparison k.plain')")).toContain(
      'Answer of gpt-other',
    )
    await page.reload()
    await side(2).getByText('Answer of gpt-other').waitFor()
    expect(await side(2).getByRole('combobox', { name: 'Model' }).inputValue()).toBe('gpt-other')
  })

  it.each([
    ['an agent', '#/agent/k.helper', 'who'],
    ['a tool', '#/tool/docs.send', 'q'],
    ['a task', '#/tasks', 'Task description'],
  ])('keeps what is entered for %s', async (_, hash, name) => {
    const page = await open(hash)
    await page.getByRole('textbox', { name }).fill('Bob')
    await page.goto(`${playground.url}/#/prompt/k.plain`)
    await page.reload()
    await page.goto(`${playground.url}/${hash}`)
    await eventually(() => page.getByRole('textbox', { name }).inputValue()).toBe('Bob')
  })

  it('finds tasks and sessions again, the older ones, too', async () => {
    const agents = Array.from({ length: 101 }, () => ({ agent: 'k.chief' }))
    for (const body of agents) await postJson(`${playground.url}/api/sessions`, body)
    await startTask('Found again')
    const page = await open('#/activity')
    await page.reload()
    await page.getByRole('region', { name: 'Tasks' }).getByText('Found again').waitFor()
    const sessions = page.getByRole('region', { name: 'Sessions' }).getByRole('listitem')
    await eventually(() => sessions.count()).toBe(100)
    await page.getByRole('button', { name: 'Show older ones' }).click()
    await eventually(() => sessions.count()).toBeGreaterThan(100)
    await page.getByRole('button', { name: 'Show older ones' }).waitFor({ state: 'detached' })
  })
})

describe('the address', () => {
  it('names the example and the language of the code; what one entered oneself stays', async () => {
    const page = await open('#/prompt/k.letter')
    const example = page.getByRole('combobox', { name: 'Example' })
    const name = page.getByRole('textbox', { name: 'name' })
    await rendered(page).getByText('yes.').waitFor()
    expect(page.url()).not.toContain('case=')
    await name.fill('Carol')
    await example.selectOption('long')
    await eventually(() => page.url()).toContain('#/prompt/k.letter?case=long')
    await page.getByRole('tab', { name: 'Code' }).click()
    await page.getByRole('combobox', { name: 'Programming language' }).selectOption('Python')
    await eventually(() => page.url()).toContain('#/prompt/k.letter/code?case=long&code=python')
    const other = await open(new URL(page.url()).hash)
    await other
      .getByRole('region', { name: 'Code', exact: true })
      .getByText('urllib.request')
      .first()
      .waitFor()
    expect(await other.getByRole('textbox', { name: 'name' }).inputValue()).toBe('Bob')
    await page.getByRole('tab', { name: /^Preview/ }).click()
    await eventually(() => page.url()).not.toContain('code=')
    await example.selectOption('Your own')
    await rendered(page).getByText('Carol').waitFor()
    await eventually(() => page.url()).not.toContain('case=')
  })

  it('is as far scrolled as it was when one comes back to it, and new pages begin at their top', async () => {
    const page = await open('#/environ/team.long')
    const top = () => page.evaluate('document.getElementById("main").scrollTop')
    await page.getByText('"row 119"').waitFor()
    await page.evaluate('document.getElementById("main").scrollTop = 900')
    await eventually(top).toBe(900)
    // The browser says so with its next frame.
    await page.evaluate('new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)))')
    await page.evaluate("location.hash = '#/environ/team.other'")
    await page.getByText('"other 119"').waitFor()
    expect(await top()).toBe(0)
    await page.goBack()
    await page.getByText('"row 119"').waitFor()
    await eventually(top).toBe(900)
  })

  it('has the title of what is open: of a task what it is about', async () => {
    const id = await startTask('Look at the titles')
    const page = await open(`#/tasks/${id}`)
    await eventually(() => page.title()).toBe('Look at the titles · AI-Prompt-Shell')
  })
})

describe('agents and tasks', () => {
  it('link the agents that an agent has as tools, and those that have it', async () => {
    const page = await open('#/agent/k.chief')
    await page.getByRole('region', { name: 'Tools' }).getByRole('link', { name: 'k.helper' }).click()
    await page.getByRole('heading', { name: 'k.helper' }).waitFor()
    await page.getByRole('region', { name: 'Used by' }).getByRole('link', { name: 'k.chief' }).click()
    await page.getByRole('heading', { name: 'k.chief' }).waitFor()
  })

  it('keep a request for approval in sight, however far one scrolls up', async () => {
    const words = Array.from({ length: 120 }, (_, index) => `Word ${index}.\n\n`).join('')
    playground.upstream.script(streamCalling('docs_search', { q: 'x' }, words), stream(['Done.']))
    const page = await open('#/agent/k.helper', PHONE)
    expect(await isInSight(page, '.composer')).toBe(true)
    await page.getByRole('textbox', { name: 'Message to the agent' }).fill('Look')
    await page.keyboard.press('Enter')
    const approve = page.getByRole('button', { name: 'Approve', exact: true })
    await approve.waitFor()
    await page.evaluate('document.querySelector(".pane-result").scrollTop = 0')
    await log(page).getByText('Word 0.').waitFor()
    await eventually(() => isInSight(page, 'section.approval .primary')).toBe(true)
    expect(await isInSight(page, '.composer')).toBe(true)
    await approve.click()
    await log(page).getByText('Done.').waitFor()
  })

  it('say in the list that a task waits for a person, and cancel it once for two clicks', async () => {
    playground.upstream.script((request: RecordedRequest) =>
      phaseOf(request.body) === 'evaluate'
        ? completion(JSON.stringify(evaluation(97, 98, true)))
        : completion('Done.'),
    )
    const id = await startTask('Wait for me')
    const page = await open(`#/tasks/${id}`)
    const row = page.getByRole('region', { name: 'All tasks' }).getByRole('link', { name: /Wait for me/ })
    await eventually(() => row.locator('.badge').innerText()).toBe('waiting')
    await page.getByRole('button', { name: 'Cancel' }).dblclick()
    await page.getByRole('heading', { name: /cancelled/ }).waitFor()
    await eventually(() => row.locator('.badge').innerText()).toBe('cancelled')
    expect(await page.getByRole('alert').count()).toBe(0)
    await page.getByRole('button', { name: 'Start again' }).click()
    await eventually(() => page.getByRole('textbox', { name: 'Task description' }).inputValue()).toBe(
      'Wait for me',
    )
    expect(await page.getByRole('combobox', { name: 'Agent', exact: true }).inputValue()).toBe('k.helper')
  })
})

it('has the selected tab and the ways of a draft in sight on a phone', async () => {
  const page = await open('#/prompt/k.plain/about', PHONE)
  await page.getByRole('tab', { name: 'About', selected: true }).waitFor()
  const right = async (selector: string) => {
    const box = await page.locator(selector).first().boundingBox()
    return (box?.x ?? 0) + (box?.width ?? Number.POSITIVE_INFINITY)
  }
  await eventually(async () => (await right('[data-name=about]')) <= PHONE.viewport.width).toBe(true)
  await page.getByRole('button', { name: 'Write' }).click()
  await page.getByRole('button', { name: 'Edit a draft' }).click()
  await page.getByRole('button', { name: 'Take home' }).waitFor()
  expect(await right('.draft-state .actions')).toBeLessThanOrEqual(PHONE.viewport.width)
})

it('begins on a phone with what one did, what waits, and the list', async () => {
  await startTask('Of a phone')
  const page = await open('#/prompt/k.plain', PHONE)
  await rendered(page).waitFor()
  await page.getByRole('link', { name: 'List' }).click()
  for (const name of ['Waiting for you', 'Recent', 'Start with'])
    await page.getByRole('region', { name }).waitFor()
  await page.getByRole('option', { name: 'k.letter' }).waitFor()
  for (const selector of ['.start .card', '.search', '.row'])
    expect(await isInSight(page, selector), selector).toBe(true)
})

it('complained of nothing', () => expect(opened.flatMap(({ complaints }) => complaints)).toEqual([]))
