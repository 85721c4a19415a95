// The page in a real Chromium: a write in Redis to the text on the page, a key to its preview, a key to what is found
// among 10,000 prompts, the first paint beside that of an empty page, the first rows, a list of 20,000, compressed and shown,
// and what 200 drafts leave behind. Times are of this machine, as it is. Goals: rows 500 ms, key → preview p95 50 ms, the list
// of 20,000 600 ms, a flat heap.
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium } from 'playwright-core'
import { startServiceOverRedis } from './service-over-redis.mjs'

const ROUNDS = 40

const service = await startServiceOverRedis({
  'templates:p:live': { userPrompt: 'It is {{.team.word}}.' },
  'templates:p:typed': {
    userPrompt: 'Hello {{.variables.name}}!',
    parameters: [{ name: 'name', type: 'string' }],
  },
  'environs:team:word': 'start',
})
const { redis, url } = service
const empty = createServer((_, response) =>
  response.setHeader('content-type', 'text/html').end('<!doctype html><title>Empty</title><p>Empty'),
)
await new Promise((listening) => empty.listen(0, '127.0.0.1', listening))
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-sync'],
})
try {
  const page = await browser.newPage()
  await page.goto(`${url}/#/prompt/p.live`)
  await page.locator('.rendered-text').waitFor()
  report('write in Redis → preview', await rounds((round) => writeToPage(page, round)))
  report('write of a prompt → text and list', await rounds((round) => promptToPage(page, round)))
  await page.goto(`${url}/#/prompt/p.typed`)
  await page.locator('[data-variable=name]').fill('a')
  await page.locator('.rendered-text').getByText('Hello a').waitFor()
  report('key → preview', await rounds((round) => keyToPreview(page, round)))
  report('key → found among 10,000', await keysToFound(page))
  const [ours, theirs] = [[], []]
  for (let round = 0; round < 12; round += 1) {
    ours.push(await firstPaint(`${url}/`))
    theirs.push(await firstPaint(`http://127.0.0.1:${empty.address().port}/`))
  }
  report('first paint', ours)
  report('first paint of an empty page', theirs)
  const more = Array.from({ length: 10_000 }, (_, index) => [
    `shenma:templates:more${index % 40}:prompt_${index}`,
    JSON.stringify({ description: `Does another number ${index}`, userPrompt: 'Hello' }),
  ])
  await redis.mset(more.flat())
  while ((await (await fetch(`${url}/api/prompts?limit=1`)).json()).total < 20_000) await sleep(100)
  const [rows, whole] = [[], []]
  let sizes = ''
  for (let round = 0; round < 12; round += 1) {
    const { row, all, encoded, decoded } = await listOf(`${url}/`, 20_000)
    rows.push(row)
    whole.push(all)
    sizes = `${(encoded / 1_000).toFixed(0)} kB of ${(decoded / 1_000).toFixed(0)} kB`
  }
  report('first rows of 20,000', rows)
  report('all of 20,000 in the list', whole)
  console.log(`the lists of 20,000 on the wire       ${sizes}`)
  for (const line of await heapOfDrafts()) console.log(line)
} finally {
  await browser.close()
  await service.stop()
  empty.close()
}

/** Resolves with the browser's own clock, so that asking it costs nothing. */
function seen(page, selector, text) {
  return page.evaluate(
    ([where, what]) =>
      new Promise((done) => {
        const look = () =>
          [...document.querySelectorAll(where)].some((each) => each.textContent.includes(what))
        const observer = new MutationObserver(() => look() && finish())
        const finish = () => {
          observer.disconnect()
          requestAnimationFrame(() => done(Date.now()))
        }
        observer.observe(document.body, { subtree: true, childList: true, characterData: true })
        if (look()) finish()
      }),
    [selector, text],
  )
}

async function writeToPage(page, round) {
  const shown = seen(page, '.rendered-text', `word${round}.`)
  await sleep(30)
  const startedAt = Date.now()
  await redis.set('shenma:environs:team:word', JSON.stringify(`word${round}`))
  return (await shown) - startedAt
}

async function promptToPage(page, round) {
  const both = [seen(page, '.text-view', `anew${round} `), seen(page, '.row', `anew${round} `)]
  await sleep(30)
  const startedAt = Date.now()
  await redis.set(
    'shenma:templates:p:live',
    JSON.stringify({ description: `anew${round} `, userPrompt: `anew${round} {{.team.word}}` }),
  )
  if (round === 0) await page.getByRole('searchbox').fill('p.live')
  return Math.max(...(await Promise.all(both))) - startedAt
}

function keyToPreview(page, round) {
  return page.evaluate(async (text) => {
    const input = document.querySelector('[data-variable=name]')
    const startedAt = performance.now()
    input.value = text
    input.dispatchEvent(new Event('input', { bubbles: true }))
    while (!document.querySelector('.rendered').textContent.includes(`${text}!`))
      await new Promise((next) => requestAnimationFrame(next))
    return performance.now() - startedAt
  }, `name${round}`)
}

function keysToFound(page) {
  return page.evaluate(async () => {
    const input = document.querySelector('[type=search]')
    const times = []
    for (const word of ['prompt_4321', 'number 99', 'team17 77']) {
      for (let length = 1; length <= word.length; length += 1) {
        const startedAt = performance.now()
        input.value = word.slice(0, length)
        input.dispatchEvent(new Event('input', { bubbles: true }))
        await new Promise((next) => requestAnimationFrame(() => setTimeout(next)))
        times.push(performance.now() - startedAt)
      }
    }
    return times
  })
}

async function firstPaint(address) {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(address)
  await sleep(150)
  const paint = await page.evaluate(
    () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
  )
  await context.close()
  return paint
}

/** From the navigation to a row, and to a list that has this many; what the answers of the API weigh. */
async function listOf(address, count) {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(address, { waitUntil: 'commit' })
  const found = await page.evaluate(
    (least) =>
      new Promise((done) => {
        let row
        const look = () => {
          const first = document.querySelector('.row')
          if (first === null) return requestAnimationFrame(look)
          row ??= performance.now()
          if (Number(first.getAttribute('aria-setsize')) < least) return requestAnimationFrame(look)
          const answers = performance
            .getEntriesByType('resource')
            .filter(({ name }) => name.includes('/api/prompts'))
          const sum = (field) => answers.reduce((all, each) => all + each[field], 0)
          done({
            row,
            all: performance.now(),
            encoded: sum('encodedBodySize'),
            decoded: sum('decodedBodySize'),
          })
        }
        look()
      }),
    count,
  )
  await context.close()
  return found
}

/** Opens a draft and leaves it, 220 times: the heap and the nodes of the page, each after a collection. */
async function heapOfDrafts() {
  const page = await browser.newPage()
  const devTools = await page.context().newCDPSession(page)
  const go = async (id, selector) => {
    await page.goto(`${url}/#/prompt/${id}`)
    await page.locator(`h1:text-is("${id}")`).waitFor()
    await page.locator(selector).first().waitFor()
  }
  await go('p.live', '[data-action=draft]')
  await page.locator('[data-action=draft]').click()
  const lines = []
  for (let count = 1; count <= 220; count += 1) {
    await go('p.live', '.cm-content')
    await go('p.typed', '[data-variable=name]')
    if (count % 100 !== 20) continue
    await devTools.send('HeapProfiler.collectGarbage')
    const { nodes } = await devTools.send('Memory.getDOMCounters')
    const { usedSize } = await devTools.send('Runtime.getHeapUsage')
    const name = `heap after ${count} drafts`.padEnd(36)
    lines.push(`${name} ${(usedSize / 1_000_000).toFixed(2)} MB · ${nodes} nodes`)
  }
  await page.close()
  return lines
}

async function rounds(measure) {
  const times = []
  for (let round = 0; round < ROUNDS; round += 1) times.push(await measure(round))
  return times
}

function report(name, times) {
  const sorted = times.toSorted((one, other) => one - other)
  const at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))].toFixed(0)
  console.log(`${name.padEnd(36)} p50 ${at(0.5)} ms · p95 ${at(0.95)} ms · most ${at(1)} ms`)
}
