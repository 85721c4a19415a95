import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { writeSection } from '../support/write-section.js'
import { type Exchange, type Load, send } from './exchange.js'
import { breakThings } from './faults.js'
import { LOADS } from './load.js'
import { type Trend, trendOf } from './trend.js'
import { openWorld, type World } from './world.js'

const RESULTS = 'test/bench/results.md'
const LANES = 2
const SAMPLE_MS = 3_000
/** Memory is flat when it grows no faster than this, but for what chance explains. */
const FLAT_BYTES_PER_MINUTE = { 'heap and external': 100_000, RSS: 1_000_000 } as const

interface Tally {
  readonly ended: Map<string, number>
  readonly mistakes: string[]
}

type Sample = readonly [minute: number, bytes: number]

/** Ordinary load, attacks and faults for this many minutes; 1 when an answer was wrong or memory grew. */
export async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { minutes: { type: 'string', default: '30' }, dry: { type: 'boolean', default: false } },
  })
  const minutes = Number(values.minutes)
  const world = await openWorld()
  const end = performance.now() + minutes * 60_000
  const isOver = () => performance.now() >= end
  const [tallies, faults, samples] = await Promise.all([
    Promise.all(Object.entries(LOADS).map(([name, load]) => keepUp(world, name, load, isOver))),
    breakThings(world, isOver),
    watchMemory(world, isOver),
  ])
  const { body: status } = await send(world, 'GET', '/api/status')
  const { tasks } = status as { readonly tasks: unknown }
  const code = await world.close()
  const trends = {
    'heap and external': trendOf(lastTwoThirds(samples.held)),
    RSS: trendOf(lastTwoThirds(samples.rss)),
  }
  const wrong = tallies.flatMap(([name, { mistakes }]) => mistakes.map((mistake) => `${name}: ${mistake}`))
  const report = [
    `\`npm run soak -- --minutes ${values.minutes}\`: Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}. Wrong is an answer of other bytes than the oracle's, or a status that its row does not list.`,
    `| load | ended with | wrong |\n|---|---|---|\n${tallies.map(toLine).join('\n')}`,
    `Faults: ${[...faults].map(([name, count]) => `${name} × ${count}`).join(', ')}.`,
    `Memory over the last two thirds: ${Object.entries(trends).map(describeTrend).join('; ')}. The queue of tasks at the end: \`${JSON.stringify(tasks)}\`. The service ended with ${code}.`,
  ].join('\n\n')
  console.log(`${report}\n\n${wrong.slice(0, 20).join('\n')}`)
  if (!values.dry) writeSection(RESULTS, 'Soak', report)
  return wrong.length === 0 && code === 0 && Object.entries(trends).every(isFlat) ? 0 : 1
}

async function keepUp(
  world: World,
  name: string,
  load: Load,
  isOver: () => boolean,
): Promise<readonly [string, Tally]> {
  const tally: Tally = { ended: new Map(), mistakes: [] }
  let count = 0
  const lane = async () => {
    while (!isOver()) {
      const number = count
      count += 1
      note(tally, await load(world, number).catch(failed))
      await sleep(5)
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  return [name, tally]
}

function failed(error: unknown): Exchange {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  return { ended: 'no answer', mistake: String(cause) }
}

function note({ ended, mistakes }: Tally, exchange: Exchange): void {
  ended.set(exchange.ended, (ended.get(exchange.ended) ?? 0) + 1)
  if (exchange.mistake !== undefined) mistakes.push(exchange.mistake)
}

async function watchMemory(
  { service }: World,
  isOver: () => boolean,
): Promise<{ readonly held: readonly Sample[]; readonly rss: readonly Sample[] }> {
  const held: Sample[] = []
  const rss: Sample[] = []
  const startedAt = performance.now()
  while (!isOver()) {
    await sleep(SAMPLE_MS)
    const minute = (performance.now() - startedAt) / 60_000
    const memory = await service.takeMemory()
    held.push([minute, memory.heapUsed + memory.external])
    rss.push([minute, memory.rss])
  }
  return { held, rss }
}

function lastTwoThirds(samples: readonly Sample[]): readonly Sample[] {
  return samples.slice(Math.floor(samples.length / 3))
}

function isFlat([name, { slope, error }]: [string, Trend]): boolean {
  const most = name === 'RSS' ? FLAT_BYTES_PER_MINUTE.RSS : FLAT_BYTES_PER_MINUTE['heap and external']
  return slope - 2 * error < most
}

function describeTrend([name, trend]: [string, Trend]): string {
  const { mean, slope, error } = trend
  const figures = [mean, slope, 2 * error].map((bytes) => (bytes / 1e6).toFixed(2))
  return `${name} ${figures[0]} MB, ${figures[1]} ± ${figures[2]} MB a minute (${isFlat([name, trend]) ? 'flat' : '**grows**'})`
}

function toLine([name, { ended, mistakes }]: readonly [string, Tally]): string {
  const endings = [...ended].sort().map(([ending, count]) => `${ending} × ${count}`)
  return `| ${name} | ${endings.join(', ')} | ${mistakes.length} |`
}
