import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { completion, type RecordedRequest, stream } from '../../../src/testing.js'
import { accessibilityProblems } from '../../support/accessibility.js'
import { streamCalling } from '../../support/agent-service.js'
import { askHelper, postJson } from '../../support/ask-helper.js'
import { release, version } from '../../support/lives.js'
import { type Playground, startPlayground } from '../../support/playground.js'
import { evaluation, phaseOf } from '../../support/task-setup.js'

const SCREENS = {
  desktop: { viewport: { width: 1440, height: 900 } },
  tablet: { viewport: { width: 1024, height: 768 }, hasTouch: true },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
} as const

const LIVED = version('a.lived', 1, { userPrompt: 'Good morning.' })

let playground: Playground

beforeAll(async () => {
  playground = await startPlayground({
    redisUrl: inject('redisUrl'),
    documents: {
      'environs:team:rules': 'Short.\nPlain.',
      'environs:team:project': { name: 'shop', languages: ['Go'] },
      'templates:a:review': {
        description: 'Review a change',
        messages: [
          { role: 'system', content: 'Rules: {{.team.rules}}' },
          { role: 'user', content: 'Review {{.variables.code}} {{docs_find "x"}}' },
        ],
        parameters: [{ name: 'code', type: 'string', description: 'What to review' }],
        examples: { small: { code: 'x = 1' } },
      },
      'templates:a:empty': {
        userPrompt: 'Say {{.variables.word}}',
        parameters: [{ name: 'word', type: 'string' }],
      },
      'templates:a:lived': { userPrompt: 'Good day.' },
      'templates:a:lived@1': LIVED.document,
      'releases:a:lived:production': release(LIVED),
      'templates:a:wrong': '{"userPrompt": "{{if .variables.x}}\\nnever closed"}',
      'tools:docs:find': {
        ...{ name: 'find', module: 'docs', type: 'restful', url: '/find', readOnly: true },
        ...{ description: 'Finds', parameters: [{ name: 'q', type: 'string' }] },
      },
      'agents:a:helper': {
        ...{ description: 'Helps', instructions: 'Help.', tools: ['docs.find'] },
        approvals: { ask: ['docs.find'] },
      },
    },
  })
  playground.upstream.script(planOfOne)
  await postJson(`${playground.url}/api/tasks`, { description: 'Greet' })
  while ((await taskStatus()) !== 'completed') await sleep(50)
  playground.upstream.script(streamCalling('docs_find', { q: 'x' }, 'Look.'), stream(['Done.']))
  await askHelper(playground.url, 'a.helper')
})

afterAll(() => playground.close())

/** Answers of a model that plans one step, takes it and is content. */
function planOfOne({ body }: RecordedRequest) {
  const phase = phaseOf(body)
  if (phase === 'plan')
    return completion(JSON.stringify({ plan_id: 'p', steps: [{ step_id: 'a', step_name: 'Say hello' }] }))
  return completion(phase === 'evaluate' ? JSON.stringify(evaluation(97, 98, true)) : '**hello**')
}

async function taskStatus(): Promise<string> {
  const answer = await fetch(`${playground.url}/api/tasks`)
  const { items } = (await answer.json()) as { readonly items: readonly { readonly status: string }[] }
  return items[0]?.status ?? ''
}

async function openTask(page: Page): Promise<void> {
  await page.locator('.task-list a').click()
  await page.locator('.outcome').waitFor()
}

async function talk(page: Page): Promise<void> {
  playground.upstream.script(stream(['# Day\n\n`code`, **bold**\n\n- one\n\n```js\nlet x\n```\n']))
  await page.locator('.composer button[type=submit]').click()
  await page.getByText(/first token|首个/).waitFor()
}

async function write(page: Page): Promise<void> {
  const pane = page.locator('[data-pane=write]')
  if (await pane.isVisible()) await pane.click()
}

async function asJson(page: Page): Promise<void> {
  await write(page)
  await page.locator('[role=tab][data-name=json]').click()
}

async function runTools(page: Page): Promise<void> {
  const pane = page.locator('[data-pane=result]')
  if (await pane.isVisible()) await pane.click()
  await page.locator('.pane-result .actions button', { hasText: 'docs_find' }).click()
  await page.locator('.rendered-text').getByText('answer to').waitFor()
}

async function askAgent(page: Page): Promise<void> {
  playground.upstream.script(streamCalling('docs_find', { q: 'x' }, 'Look.'), stream(['Done.']))
  await page.locator('.composer textarea').fill('Look')
  await page.keyboard.press('Enter')
  await page.locator('section.approval').waitFor()
}

async function search(page: Page): Promise<void> {
  await page.locator('[type=search]').fill('rules', { force: true })
  // A phone has the list on the start page alone.
  if (await page.locator('.sidebar').isVisible()) await page.locator('.row mark').first().waitFor()
}

/** What is opened, and what is done there before it is looked at. */
const VIEWS: readonly (readonly [hash: string, shown: string, prepare?: (page: Page) => Promise<void>])[] = [
  ['#/', '.start h1'],
  ['#/prompt/a.review', '.rendered-text'],
  ['#/prompt/a.review', '.rendered-text', asJson],
  ['#/prompt/a.review', '.rendered-text', runTools],
  ['#/prompt/a.empty', '.missing-list'],
  ['#/prompt/a.wrong', '.entry-head .problem'],
  ['#/prompt/a.review/timeLine', '.time-line'],
  ['#/prompt/a.review/chat', '.composer', (page) => page.locator('.settings summary').click()],
  ['#/prompt/a.review/compare', '.side-text'],
  ['#/prompt/a.review/code', '.code-sample'],
  ['#/prompt/a.review/about', '.bill'],
  ['#/environ/team.rules', '.used-by'],
  ['#/environ/team.project', '.json'],
  ['#/tool/docs.find', '.used-by'],
  ['#/agent/a.helper', '.composer'],
  ['#/agent/a.helper', '.composer', askAgent],
  ['#/problems', '.problem'],
  ['#/activity', 'section.approval'],
  ['#/tasks', '#new-task'],
  ['#/tasks', '.task-list a', openTask],
  ['#/prompt/a.lived/chat', '.composer', talk],
  ['#/prompt/a.lived/versions', '.versions'],
  ['#/prompt/a.review/preview', '.rendered-text', search],
  ['#/', '.start h1', search],
  ['#/prompt/no.such', '[role=alert]'],
]

describe.each(Object.keys(SCREENS) as (keyof typeof SCREENS)[])('on a %s', (screen) => {
  describe.each(['light', 'dark'] as const)('%s', (colorScheme) => {
    it.each(['en', 'zh-CN'])('has no barriers in any view, %s', async (locale) => {
      const { page } = await playground.open('', {
        ...SCREENS[screen],
        ...{ colorScheme, locale, reducedMotion: 'reduce' },
      })
      const found: string[] = []
      for (const [hash, shown, prepare] of VIEWS) {
        await page.goto(`${playground.url}/${hash}`)
        await page.locator(shown).first().waitFor({ state: 'attached' })
        await prepare?.(page)
        found.push(...(await accessibilityProblems(page)).map((problem) => `${hash}: ${problem}`))
      }
      await page.keyboard.press('ControlOrMeta+k')
      await page.locator('.palette .command').first().waitFor()
      found.push(...(await accessibilityProblems(page)).map((problem) => `palette: ${problem}`))
      await page.locator('.command', { hasText: /API key|API 密钥/ }).click()
      await page.locator('dialog input[type=password]').waitFor()
      found.push(...(await accessibilityProblems(page)).map((problem) => `key: ${problem}`))
      expect(found).toEqual([])
      await page.context().close()
    })

    it.each(['en', 'zh-CN'])('has no barriers in a draft and on its way home, %s', async (locale) => {
      const { page } = await playground.open('#/prompt/a.review', {
        ...SCREENS[screen],
        ...{ colorScheme, locale, reducedMotion: 'reduce' },
      })
      await page.locator('.rendered-text').first().waitFor()
      await write(page)
      await page.locator('[data-action=draft]').click()
      await page.locator('.cm-content').first().click()
      await page.keyboard.type('{{.te')
      await page.locator('.cm-offer').waitFor()
      await page.locator('.cm-message').waitFor()
      const found = [...(await accessibilityProblems(page))]
      for (const name of ['document', 'stored', 'difference', 'home']) {
        await page.locator(`[role=tab][data-name=${name}]`).click()
        await page.locator('.cm-content, .text-view, .diff, .line-diff').first().waitFor()
        found.push(...(await accessibilityProblems(page)).map((problem) => `${name}: ${problem}`))
      }
      await page.locator('[role=tab][data-name=texts]').click()
      await page.locator('.cm-content').first().click()
      await page.keyboard.type('{{if')
      await page.locator('.cm-error').waitFor()
      found.push(...(await accessibilityProblems(page)).map((problem) => `wrong: ${problem}`))
      const result = page.locator('[data-pane=result]')
      if (await result.isVisible()) await result.click()
      await page.locator('.outdated').waitFor()
      await page.locator('.pane-result .switch input').last().check()
      found.push(...(await accessibilityProblems(page)).map((problem) => `outdated: ${problem}`))
      expect(found).toEqual([])
      await page.context().close()
    })
  })
})
