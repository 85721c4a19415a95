import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { eventually } from '../../support/eventually.js'
import { type Playground, startPlayground, type WatchedPage } from '../../support/playground.js'

let playground: Playground
let watched: WatchedPage
let page: Page

const STORED = 'Dear {{.variables.name}},\nthe answer is no.'

beforeAll(async () => {
  playground = await startPlayground({
    redisUrl: inject('redisUrl'),
    documents: {
      'templates:p:letter': { userPrompt: STORED, parameters: [{ name: 'name', type: 'string' }] },
    },
  })
  watched = await playground.open('#/prompt/p.letter', { permissions: ['clipboard-read', 'clipboard-write'] })
  page = watched.page
  await page.getByRole('textbox', { name: 'name' }).fill('Ada')
  await page.getByRole('button', { name: 'Edit a draft' }).click()
  await editor().waitFor()
})

afterAll(() => playground.close())

const editor = () => page.getByRole('textbox', { name: 'Text of user' })
const editorText = async () => (await editor().locator('.cm-line').allTextContents()).join('\n')
const rendered = () => page.locator('.rendered-text')
const clipboard = async () => String(await page.evaluate('navigator.clipboard.readText()'))

async function write(text: string): Promise<void> {
  await editor().click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText(text)
}

describe('a draft', () => {
  it('is edited in an editor that colours, undoes and shows what comes of it', async () => {
    expect(await editor().innerText()).toContain('the answer is no.')
    expect(await page.locator('.editor .t-field').first().innerText()).toBe('.variables.name')
    await editor().click()
    await page.keyboard.press('ControlOrMeta+End')
    await page.keyboard.press('Enter')
    await page.keyboard.type('Yours')
    await rendered().getByText('Yours').waitFor()
    await page.keyboard.press('ControlOrMeta+z')
    await page.keyboard.press('ControlOrMeta+z')
    await rendered().getByText('Yours').waitFor({ state: 'detached' })
    await write('Dear {{.variables.name}},\nthe answer is yes.')
    await rendered().getByText('yes').waitFor()
  })

  it('is edited by keys: lines keep their indentation, characters and selections go in both directions', async () => {
    await write('one\n  two👍🏽')
    for (const key of ['ControlOrMeta+End', 'Backspace', 'Enter']) await page.keyboard.press(key)
    await page.keyboard.type('three')
    await rendered().getByText('three').waitFor()
    expect(await editorText()).toBe('one\n  two\n  three')
    for (const key of ['ControlOrMeta+Home', 'Delete', 'Shift+ArrowDown', 'Backspace', 'Shift+End', 'Delete'])
      await page.keyboard.press(key)
    await eventually(editorText).toBe('\n  three')
    await write('Dear {{.variables.name}},\nthe answer is yes.')
    await rendered().getByText('yes').waitFor()
  })

  it('stands beside the stored text, with what differs word by word', async () => {
    await page.getByRole('tab', { name: 'Difference' }).click()
    await eventually(() => page.locator('.diff del').allInnerTexts()).toEqual(['no'])
    await eventually(() => page.locator('.diff ins').allInnerTexts()).toEqual(['yes'])
    await page.getByRole('tab', { name: 'Stored' }).click()
    await eventually(() => page.locator('.text-view').innerText()).toContain('the answer is no.')
    await page.getByRole('checkbox', { name: 'Show what the draft changes' }).check()
    const diff = page.getByRole('tabpanel', { name: /^Preview/ }).locator('.diff')
    await eventually(() => diff.locator('ins').allInnerTexts()).toEqual(['yes'])
    expect(await diff.innerText()).toContain('Dear Ada')
    await page.getByRole('checkbox', { name: 'Show what the draft changes' }).uncheck()
  })

  it('is a document, too', async () => {
    await page.getByRole('tab', { name: 'Document' }).click()
    const json = page.getByRole('textbox', { name: 'Document' })
    await json.click()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.insertText(
      JSON.stringify({ userPrompt: 'Whole: {{.variables.name}} and {{.variables.more}}' }),
    )
    await page.getByRole('textbox', { name: 'more' }).fill('more')
    await rendered().getByText('Whole:').waitFor()
    await eventually(() => rendered().innerText()).toBe('Whole: Ada and more')
    await page.getByRole('tab', { name: 'Texts' }).click()
    await write('Dear {{.variables.name}},\nthe answer is yes.')
    await rendered().getByText('yes').waitFor()
  })

  it('says where it is wrong', async () => {
    await write('Dear {{.variables.name}')
    await page.getByRole('alert').getByText('template_syntax').waitFor()
    await page
      .getByRole('alert')
      .getByText(/line 1, column \d+/)
      .waitFor()
    await page.locator('.cm-error').waitFor()
    await write('Dear {{.variables.name}},\nthe answer is yes.')
    await page.getByRole('alert').waitFor({ state: 'detached' })
  })

  it('goes along as a file, a command and a link, and never to the store', async () => {
    await page.getByRole('button', { name: 'Take home' }).click()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ])
    expect(file.suggestedFilename()).toBe('letter.json')
    const document = JSON.parse(await readFile(await file.path(), 'utf8'))
    expect(document.userPrompt).toBe('Dear {{.variables.name}},\nthe answer is yes.')

    await page.getByRole('button', { name: 'Copy as push' }).click()
    await page.getByText('Copied').waitFor()
    const command = await clipboard()
    expect(command).toContain("cat > draft/templates/p/letter.json <<'DRAFT'")
    expect(command).toContain('ai-prompt-shell push draft redis://')
    expect(command).toContain(new URL(inject('redisUrl')).host)

    await page.getByRole('button', { name: 'Copy link' }).click()
    await eventually(clipboard).toContain('#/prompt/p.letter?draft=')
    const link = await clipboard()
    expect(link.length).toBeLessThan(8_192)
    const other = await playground.open(new URL(link).hash)
    await other.page.getByRole('textbox', { name: 'Text of user' }).getByText('yes').waitFor()
    expect(await other.page.getByRole('textbox', { name: 'name' }).inputValue()).toBe('')
    const stored: unknown = await (await fetch(`${playground.url}/api/prompts/p.letter`)).json()
    expect(stored).toMatchObject({ userPrompt: STORED })
    await page.getByRole('button', { name: 'Discard draft' }).click()
    await rendered().getByText('no.').waitFor()
  })

  it('is copied as code in three languages, without a key', async () => {
    await page.getByRole('tab', { name: 'Code' }).click()
    const code = page.getByRole('region', { name: 'Code', exact: true })
    expect(await code.innerText()).toContain(`curl -s '${playground.url}/api/render/prompts/p.letter'`)
    const language = page.getByRole('combobox', { name: 'Programming language' })
    await language.selectOption('TypeScript')
    expect(await code.innerText()).toContain('await fetch(')
    await language.selectOption('Python')
    expect(await code.innerText()).toContain('urllib.request.urlopen(request)')
    await page.getByRole('combobox', { name: 'Request', exact: true }).selectOption('Chat')
    await page.getByRole('button', { name: 'Copy', exact: true }).click()
    await eventually(clipboard).toContain('/api/chat/prompts/p.letter')
  })

  it('complained of nothing but what was asked for', () =>
    expect(watched.complaints.filter((each) => !/status of 400/.test(each))).toEqual([]))
})
