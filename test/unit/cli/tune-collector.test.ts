import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const MODULE = resolve(import.meta.dirname, '../../../dist/cli/tune-collector.js')
const YOUNG_MODULE = resolve(import.meta.dirname, '../../../dist/util/slices/collect-young.js')

/** A process whose young generation has grown, and in whose turns little is made that nothing keeps: how much of it is in use at most. */
const SCRIPT = `
  import { setImmediate as turn } from 'node:timers/promises'
  import { getHeapSpaceStatistics } from 'node:v8'
  const { CollectorTuning } = await import(process.argv[1])
  const collector = process.argv[2] === 'as it is' ? undefined : new CollectorTuning(10)
  if (process.argv[2] === 'tuned' || process.argv[2] === 'reading' || process.argv[2] === 'read') collector.begin()
  async function* load() {
    yield []
    yield []
  }
  const batches = collector?.watched({ load }).load({})[Symbol.asyncIterator]()
  if (process.argv[2] === 'reading') await batches.next()
  if (process.argv[2] === 'read') while (!(await batches.next()).done);
  const used = () => getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space').space_used_size
  let kept = []
  for (let index = 0; index < 4_000_000; index += 1) kept.push({ index })
  kept = []
  let most = 0
  for (let count = 0; count < 2_000; count += 1) {
    await turn()
    if (count > 1_000) most = Math.max(most, used())
    for (let index = 0; index < 2_000; index += 1) kept[index] = { index, count }
  }
  console.log(most)`

function mostUsed(how: 'tuned' | 'reading' | 'read' | 'loading' | 'as it is'): number {
  // On a busy machine V8 makes it smaller by itself, unless it must not.
  const args = [
    '--min-semi-space-size=64',
    '--max-semi-space-size=64',
    '--input-type=module',
    '-e',
    SCRIPT,
    MODULE,
    how,
  ]
  return Number(execFileSync(process.execPath, args, { encoding: 'utf8' }))
}

/** A process in which some megabytes survive: how large its young generation is then. */
const GROWING = `
  import { setImmediate as turn } from 'node:timers/promises'
  import { getHeapSpaceStatistics } from 'node:v8'
  const { CollectorTuning } = await import(process.argv[1])
  const collector = new CollectorTuning()
  if (process.argv[2] === 'tuned') collector.begin()
  const kept = Array.from({ length: 4 }, () => [])
  for (let count = 0; count < 20; count += 1) {
    kept[count % 4] = Array.from({ length: 8_192 }, (_, index) => ({ index }))
    await turn()
  }
  const { space_used_size: used, space_available_size: available } = getHeapSpaceStatistics().find(
    ({ space_name: name }) => name === 'new_space',
  )
  console.log(used + available)`

function grownTo(how: 'tuned' | 'loading'): number {
  const args = ['--max-semi-space-size=64', '--input-type=module', '-e', GROWING, MODULE, how]
  return Number(execFileSync(process.execPath, args, { encoding: 'utf8' }))
}

/** A process that asks for a collection of its young generation: which collections there were. */
const ASKING = `
  import { PerformanceObserver } from 'node:perf_hooks'
  import { setTimeout as later } from 'node:timers/promises'
  const { CollectorTuning } = await import(process.argv[1])
  const { collectYoung } = await import(process.argv[2])
  const collector = new CollectorTuning()
  if (process.argv[3] === 'tuned') collector.begin()
  await later(100)
  const kinds = []
  new PerformanceObserver((list) => kinds.push(...list.getEntries().map(({ detail }) => detail.kind))).observe({ entryTypes: ['gc'] })
  await collectYoung()
  await later(100)
  console.log(JSON.stringify(kinds))`
/** As \`perf_hooks\` counts collections of the young generation. */
const MINOR = 1

function collectedWhenAsked(how: 'tuned' | 'loading'): readonly number[] {
  const args = ['--input-type=module', '-e', ASKING, MODULE, YOUNG_MODULE, how]
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))
}

describe('CollectorTuning', () => {
  it('has the young generation collected between turns long before it is full, however large it is, once the catalog is loaded', () => {
    expect(mostUsed('as it is')).toBeGreaterThan(24 * 1_048_576)
    expect(mostUsed('loading')).toBeGreaterThan(24 * 1_048_576)
    expect(mostUsed('tuned')).toBeLessThan(12 * 1_048_576)
  })

  it('has it collected sooner while the whole catalog is read, and as before when that is over', () => {
    expect(mostUsed('reading')).toBeLessThan(6 * 1_048_576)
    expect(mostUsed('read')).toBeGreaterThan(6 * 1_048_576)
  })

  it('has the young generation grow at once to what it may be', () => {
    expect(grownTo('loading')).toBeLessThan(8 * 1_048_576)
    expect(grownTo('tuned')).toBeGreaterThan(12 * 1_048_576)
  })

  it('has it collected when somebody asks, once the catalog is loaded', () => {
    expect(collectedWhenAsked('loading')).toEqual([])
    expect(collectedWhenAsked('tuned')).toContain(MINOR)
  })
})
