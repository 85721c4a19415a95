import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { encodeDraft } from '../../../src/ui/draft/draft-link.js'
import { HAS_TIME } from '../../support/has-time.js'
import { type Playground, startPlayground, type WatchedPage } from '../../support/playground.js'

let playground: Playground
const opened: WatchedPage[] = []

const MARKUP = '<img src=x onerror=alert(1)><b>bold</b>'

beforeAll(async () => {
  playground = await startPlayground({
    redisUrl: inject('redisUrl'),
    documents: {
      'environs:team:rules': { style: ['short', 'plain'], markup: MARKUP },
      'templates:p:greet': {
        description: 'Greets somebody',
        messages: [
          {
            role: 'system',
            content:
              'You are kind.\n{{template "p.house" .}}\nRules:{{range .team.rules.style}} {{.}}{{end}}',
          },
          { role: 'user', content: 'Greet {{.variables.name}}, {{.variables.age}}.' },
        ],
        parameters: [
          { name: 'name', type: 'string', description: 'Whom to greet' },
          { name: 'age', type: 'integer', default: 7 },
        ],
      },
      'templates:p:house': { userPrompt: 'Be brief.\nSay it once.' },
      'templates:p:tools': {
        userPrompt: 'A {{docs_search "one"}} and {{docs_search "two"}}, {{docs_broken "x"}}.',
      },
      [`templates:p:${MARKUP}`]: { userPrompt: 'An id of markup' },
      'templates:p:echo': {
        userPrompt: '{{docs_search .variables.word}}',
        parameters: [{ name: 'word', type: 'string' }],
      },
      'templates:p:act': {
        userPrompt: '{{docs_search .variables.title}} {{docs_send .variables.title}}',
        parameters: [{ name: 'title', type: 'string' }],
      },
      'tools:docs:send': { ...tool('/send'), readOnly: false },
      'templates:p:live': { userPrompt: 'In {{.team.language}}.' },
      'environs:team:language': '"Go"',
      'tools:docs:search': tool('/search'),
      'tools:docs:broken': tool('/broken'),
    },
  })
})

afterAll(async () => {
  await playground.close()
})

function tool(url: string) {
  return {
    name: url,
    module: 'docs',
    type: 'restful',
    url,
    parameters: [{ name: 'q', type: 'string' }],
    description: MARKUP,
    readOnly: true,
  }
}

async function open(hash: string): Promise<Page> {
  const watched = await playground.open(hash)
  opened.push(watched)
  return watched.page
}

const rendered = (page: Page) => page.locator('.rendered-text')

describe('the playground', () => {
  it('shows what is missing as a place to fill in, and renders as one types', async () => {
    const page = await open('#/prompt/p.greet')
    await page.locator('.missing-list').getByRole('button', { name: 'name' }).waitFor()
    expect(await rendered(page).nth(1).innerText()).toBe('Greet name, 7.')
    expect(await page.locator('.span.missing').allInnerTexts()).toEqual(['name'])
    expect(await page.getByRole('alert').count()).toBe(0)
    await page.locator('.missing-list').getByRole('button', { name: 'name' }).click()
    const name = page.getByRole('textbox', { name: 'name' })
    expect(await name.getAttribute('aria-invalid')).toBe('false')
    await page.keyboard.type('Ada')
    await rendered(page).getByText('Ada').waitFor()
    expect(await rendered(page).nth(1).innerText()).toBe('Greet Ada, 7.')
    expect(await page.locator('.facts output').innerText()).toMatch(/\d+ tokens/)
    await page.getByRole('textbox', { name: 'age' }).fill('many')
    await page.getByText('must be an integer').first().waitFor()
  })

  it('tells of every stretch where it comes from, and leads there', async () => {
    const page = await open('#/prompt/p.greet')
    await page.getByRole('textbox', { name: 'name' }).fill('Ada')
    const origin = page.getByRole('region', { name: 'Origin' })
    await page.getByRole('button', { name: 'Ada', exact: true }).hover()
    await origin.getByText('variables.name').waitFor()
    await page.getByRole('button', { name: 'Ada', exact: true }).click()
    const marked = page.locator('.text-view .marked')
    expect(await marked.innerText()).toContain('{{.variables.name}}')

    await page.getByRole('button', { name: 'short', exact: true }).click()
    expect(await marked.innerText()).toContain('Rules:')
    await origin.getByRole('link', { name: 'team.rules.style.0' }).click()
    await page.getByRole('heading', { name: 'team.rules' }).waitFor()
    expect(await page.locator('.json.marked').innerText()).toBe('0: "short"')

    await page.goBack()
    await page.getByRole('button', { name: 'Be brief.' }).click()
    await origin.getByRole('link', { name: 'p.house' }).click()
    await page.getByRole('heading', { name: 'p.house' }).waitFor()
    expect(await marked.innerText()).toContain('Be brief.')
  })

  it('shows what a write in Redis changes: the list, the text, the preview', async () => {
    const page = await open('#/prompt/p.live')
    await rendered(page).getByText('Go').waitFor()
    await playground.set({ 'environs:team:language': '"Rust"' })
    await rendered(page).getByText('Rust').waitFor()
    await playground.set({
      'templates:p:act': {
        userPrompt: '{{docs_search .variables.title}} {{docs_send .variables.title}}',
        parameters: [{ name: 'title', type: 'string' }],
      },
      'tools:docs:send': { ...tool('/send'), readOnly: false },
      'templates:p:live': { description: 'Anew', userPrompt: 'Only {{.team.language}}!' },
    })
    await page.locator('.text-view').getByText('Only').waitFor()
    await rendered(page).getByText('Only').waitFor()
    await page.getByRole('option', { name: 'p.live' }).getByText('Anew').waitFor()
    await playground.set({ 'templates:p:new': { userPrompt: 'new' } })
    await page.getByRole('option', { name: 'p.new' }).waitFor()
    await playground.set({ 'templates:p:live': '{"userPrompt": "{{broken"}' })
    await page.getByRole('option', { name: 'p.live' }).getByText('broken').waitFor()
    await page.locator('.entry-head .problem').waitFor()
    expect(await rendered(page).innerText()).toBe('Only Rust!')
  })

  it('shows what tries to be markup as the text it is', async () => {
    const page = await open('#/tool/docs.search')
    await page.locator('.entry-description').getByText(MARKUP).waitFor()
    await page.goto(`${playground.url}/#/environ/team.rules`)
    await page.getByText(JSON.stringify(MARKUP)).waitFor()
    await page.getByRole('searchbox').fill('onerror')
    await page.getByText('Prompts', { exact: false }).first().click()
    await page.getByRole('option', { name: `p.${MARKUP}` }).click()
    await page.getByRole('heading', { name: `p.${MARKUP}` }).waitFor()
    await rendered(page).getByText('An id of markup').waitFor()
    await page.goto(`${playground.url}/#/prompt/${encodeURIComponent(MARKUP)}`)
    await page.getByRole('alert').getByText('prompt_not_found').waitFor()
    expect(await page.locator('main img, main b').count()).toBe(0)
  })

  it('never calls a tool that may change something: not by typing, by changes, by links', async () => {
    const draft = { userPrompt: '{{docs_send "from a link"}}' }
    const page = await open('#/prompt/p.act')
    await page.getByRole('checkbox', { name: 'Call read-only tools' }).check()
    await page.getByRole('textbox', { name: 'title' }).pressSequentially('Fire')
    await rendered(page).getByText('answer to {"q":"Fire"}').waitFor()
    expect(await rendered(page).innerText()).toContain('[docs_send "Fire"]')
    await playground.set({ 'environs:team:unrelated': { changed: 1 } })
    await page.goto(`${playground.url}/#/prompt/p.act?draft=${await encodeDraft(draft)}`)
    await rendered(page).getByText('[docs_send "from a link"]').waitFor()
    const metrics = await (await fetch(`${playground.url}/metrics`)).text()
    expect(metrics).toContain('tool_calls_total{tool="docs.search",outcome="ok"}')
    expect(metrics).not.toContain('tool="docs.send"')
  })

  it('keeps a draft: when one looks elsewhere, reloads, follows a link, and when it was discarded', async () => {
    const page = await open('#/prompt/p.house')
    const editor = page.getByRole('textbox', { name: 'Text of user' })
    const write = async (text: string) => {
      await editor.click()
      await page.keyboard.press('ControlOrMeta+a')
      await page.keyboard.insertText(text)
      await rendered(page).getByText(text).waitFor()
    }
    await page.getByRole('button', { name: 'Edit a draft' }).click()
    await write('My own words')
    await page.getByRole('option', { name: 'p.live' }).click()
    await page.getByRole('heading', { name: 'p.live' }).waitFor()
    await page.goBack()
    await rendered(page).getByText('My own words').waitFor()
    await page.reload()
    await rendered(page).getByText('My own words').waitFor()
    await page.getByRole('button', { name: 'Discard draft' }).click()
    await rendered(page).getByText('Be brief.').waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Restore draft' }).click()
    await rendered(page).getByText('My own words').waitFor()

    const linked = `${playground.url}/#/prompt/p.house?draft=${await encodeDraft({ userPrompt: 'Of a link' })}`
    await page.goto(linked)
    await rendered(page).getByText('Of a link').waitFor()
    await write('Of a link, and mine')
    await page.reload()
    await rendered(page).getByText('Of a link, and mine').waitFor()
    await page.getByRole('button', { name: 'Discard draft' }).click()
    await page.goto(linked)
    await rendered(page).getByText('Of a link', { exact: true }).waitFor()
  })

  if (HAS_TIME) describeMore()

  it('complained of nothing but what was asked for', () => {
    const asked = /status of (400|404)/
    expect(opened.flatMap(({ complaints }) => complaints).filter((each) => !asked.test(each))).toEqual([])
    expect(opened.length).toBeGreaterThan(3)
  })
})

/** What else it does: a browser takes seconds for it. */
function describeMore(): void {
  it('loses no key, however fast they come', async () => {
    const page = await open('#/prompt/p.greet')
    const name = page.getByRole('textbox', { name: 'name' })
    await name.waitFor()
    // Several in one frame, as on a machine that is busy; what is drawn for each is there before the next one.
    await page.evaluate(`(async () => {
      const input = document.querySelector('[data-variable=name]')
      for (const key of 'Ada Lovelace') {
        const setter = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(input), 'value').set
        setter.call(input, input.value + key)
        input.dispatchEvent(new Event('input', { bubbles: true }))
        await new Promise((resolve) => setTimeout(resolve))
      }
    })()`)
    await rendered(page).getByText('Ada Lovelace').waitFor()
    expect(await name.inputValue()).toBe('Ada Lovelace')
  })

  it('keeps form and JSON the same, both ways', async () => {
    const page = await open('#/prompt/p.greet')
    await page.getByRole('textbox', { name: 'name' }).fill('Ada')
    await page.getByRole('tab', { name: 'JSON' }).click()
    const json = page.getByRole('textbox', { name: 'Variables as JSON' })
    expect(JSON.parse(await json.inputValue())).toEqual({ name: 'Ada' })
    await json.fill('{"name": "Bob", "age": 3')
    await page.locator('.wrong').waitFor()
    await json.fill('{"name": "Bob", "age": 3}')
    await rendered(page).getByText('Bob').waitFor()
    await page.getByRole('tab', { name: 'Form' }).click()
    expect(await page.getByRole('textbox', { name: 'age' }).inputValue()).toBe('3')
    expect(await rendered(page).nth(1).innerText()).toBe('Greet Bob, 3.')
  })

  it('calls tools when it is told to, and shows when each ran', async () => {
    const page = await open('#/prompt/p.tools')
    await rendered(page).waitFor()
    await page.getByRole('tab', { name: /^Time line/ }).click()
    await page.locator('.time-line li').first().waitFor()
    expect(await page.locator('.time-line li').count()).toBe(3)
    expect(await page.getByText('not called').count()).toBe(3)
    await page.getByRole('tab', { name: /^Preview/ }).click()
    await page.getByRole('checkbox', { name: 'Call read-only tools' }).check()
    await rendered(page).getByText('answer to {"q":"one"}').waitFor()
    await page.locator('.warning').getByText('docs.broken').waitFor()
    await page.getByRole('tab', { name: /^Time line/ }).click()
    const call = page.locator('.time-line li').first()
    await call.getByText('docs_search').waitFor()
    const [bar, track] = [
      await call.locator('.bar').boundingBox(),
      await call.locator('.track').boundingBox(),
    ]
    expect(bar?.width).toBeGreaterThan((track?.width ?? 0) / 10)
    await page.locator('.time-line').getByText('failed').waitFor()
  })

  it('shows what is written in a document that cannot be read, and where it is wrong', async () => {
    await playground.set({ 'templates:p:torn': '{\n  "userPrompt": "Torn {{.x}}",\n}' })
    const page = await open('#/prompt/p.torn')
    await page.locator('.text-view').getByText('"userPrompt": "Torn').waitFor()
    await page.locator('.entry-head .problem').waitFor()
    expect(await page.locator('[aria-current=location]').innerText()).toMatch(/^\s*[}]/)
    // Said once, at its head.
    await page.getByText('Nothing to render until the document is fixed.').waitFor()
    expect(await page.locator('.problem').count()).toBe(1)
    await playground.set({ 'templates:p:torn': { userPrompt: 'Mended' } })
    await rendered(page).getByText('Mended').waitFor()
  })

  it('shows what a tool answers as the text it is, in the preview and in the time line', async () => {
    const page = await open('#/prompt/p.echo')
    await page.getByRole('checkbox', { name: 'Call read-only tools' }).check()
    await page.getByRole('textbox', { name: 'word' }).fill(MARKUP)
    await rendered(page).getByText('answer to').waitFor()
    expect(await rendered(page).innerText()).toContain(MARKUP)
    await page.getByRole('tab', { name: /^Time line/ }).click()
    await page.locator('.time-line').getByText(MARKUP).first().waitFor()
    expect(await page.locator('main img, main b').count()).toBe(0)
  })
}
