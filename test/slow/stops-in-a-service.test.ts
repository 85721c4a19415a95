import { AsyncLocalStorage } from 'node:async_hooks'
import type { LRUCache } from 'lru-cache'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { SLICES } from '../../src/util/slices/budgets.js'
import { createHardStop } from '../../src/util/slices/hard-stop.js'
import { isInSlice, type SliceGuard, unguarded } from '../../src/util/slices/slice.js'
import { createRandom } from '../support/random.js'
import { type Json, startTestApp, type TestApp } from '../support/test-app.js'

type Cache = LRUCache<string, object>

/** Every cache of the service, as it is made. */
const caches = vi.hoisted(() => [] as unknown[])
vi.mock('lru-cache', async (original) => {
  const { LRUCache } = await original<typeof import('lru-cache')>()
  class Recorded extends LRUCache<string, object> {
    constructor(options: ConstructorParameters<typeof LRUCache<string, object>>[0]) {
      super(options)
      caches.push(this)
    }
  }
  return { LRUCache: Recorded }
})

const STOPS = 1_000
const LIMITS = [1, 2, 3, 4, 5]
/** More than there is room for among what was compiled. */
const PROMPTS = 24
const CACHE_SIZE = 16

const BODIES = [
  '{{range until 60}}{{regexReplaceAll "(a+)(b?)" $.variables.text "$2$1" | len}}{{end}}',
  '{{range $k, $v := .variables.dict}}{{$k}}{{$v}}{{end}}{{toYaml .variables.dict}}',
  '{{range $i, $w := splitList " " .variables.words}}{{tokens (print $w $i)}}{{end}}',
  '{{range until 40}}{{dateInZone "15:04" 0 "Europe/Berlin"}}{{printf "%05d|%x" . .}}{{end}}',
  '{{range until 30}}{{toJson $.variables.dict | fromJson | len}}{{sha256sum (print .)}}{{end}}',
  '{{template "part.text0" .}}{{template "part.text1" .}}{{range until 50}}{{$.shared.name}}{{end}}',
]
const DOCUMENTS: Record<string, unknown> = {
  'environs/shared.json': {
    name: 'a name',
    list: Array.from({ length: 400 }, (_, index) => `text ${index}`),
  },
  'templates/part/text0.json': { userPrompt: '{{range .shared.list}}{{upper .}}{{end}}' },
  'templates/part/text1.json': { userPrompt: '{{range $i, $t := .shared.list}}{{$i}}{{title $t}}{{end}}' },
  ...Object.fromEntries(
    Array.from({ length: PROMPTS }, (_, index) => [
      `templates/p/number${index}.json`,
      { userPrompt: `${index}: ${BODIES[index % BODIES.length]}` },
    ]),
  ),
}
const random = createRandom(30)
const VARIABLES = {
  text: 'aab'.repeat(400),
  words: Array.from({ length: 300 }, () => `wörd${random.below(9_000)}`).join(' '),
  dict: Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`ключ${index}`, index])),
}

const context = new AsyncLocalStorage<number>()
let limit: SliceGuard | undefined
const guard: SliceGuard = (slice, patience) => (limit ?? unguarded)(slice, patience)
let aheadMs = 0
const { now } = Date
let service: TestApp
let untouched: TestApp
beforeAll(async () => {
  vi.spyOn(Date, 'now').mockImplementation(() => now() + aheadMs)
  const environment = { RENDER_TIMEOUT_MS: '60000', TEMPLATE_CACHE_SIZE: String(CACHE_SIZE) }
  untouched = await startTestApp(DOCUMENTS, environment, { guard: unguarded })
  caches.length = 0
  service = await startTestApp(DOCUMENTS, environment, { guard })
})
afterAll(async () => {
  vi.restoreAllMocks()
  await service.close()
  await untouched.close()
})

const rendered = ({ post }: TestApp, index: number): Promise<{ readonly body: Json }> =>
  post(`/api/render/prompts/p.number${index}`, { variables: VARIABLES })

/** What a cache says of itself in all ways that there are, equal to one that is filled again in the same order. */
function expectWhole(cache: Cache): void {
  const entries = cache.dump()
  expect(cache.size).toBe(entries.length)
  expect([...cache.keys()]).toEqual(entries.map(([key]) => key).reverse())
  expect([...cache.rkeys()]).toEqual(entries.map(([key]) => key))
  for (const [key, { value }] of entries) expect(cache.peek(key)).toBe(value)
}

it('a thousand stops leave the caches of a service as others are', { timeout: 600_000 }, async () => {
  let processorMs = 0
  // However busy the machine is, what is stopped had the processor.
  const stopping = LIMITS.map((limitMs) =>
    createHardStop({ limitMs, processorMs: () => (processorMs += SLICES.stop.ms) }),
  )
  let stops = 0
  for (let index = 0; stops < STOPS && index < 20 * STOPS; index += 1) {
    // What was stopped is not refused for that.
    aheadMs += 3_600_000
    limit = stopping[index % stopping.length]
    const { body } = await context.run(index, () => rendered(service, random.below(PROMPTS)))
    limit = undefined
    if (body.error?.message.includes('held the service')) stops += 1
    else expect(body.error).toBeUndefined()
    expect([isInSlice(), context.getStore()]).toEqual([false, undefined])
    if (index % 100 !== 0) continue
    for (const cache of caches) expectWhole(cache as Cache)
    for (let at = 0; at < PROMPTS; at += 1)
      expect((await rendered(service, at)).body).toEqual((await rendered(untouched, at)).body)
  }
  expect(stops).toBe(STOPS)
  expect(caches.length).toBeGreaterThan(1)
  const { body } = await service.get('/api/status')
  expect(body.template_cache.size).toBeGreaterThan(0)
  expect(body.template_cache.size).toBeLessThanOrEqual(CACHE_SIZE)
})
