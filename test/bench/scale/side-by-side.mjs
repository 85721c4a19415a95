// Two builds over one Redis, each in a process that stays: they load one after the other, and then take turns, so that the
// hour, the catalog and what else runs meet both alike.
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { cannon } from './catalog.mjs'
import { timesOfChanges } from './changes.mjs'
import { cpuOf, memory, registry, startService, stop } from './service.mjs'

const WARM_UP_S = 6
const WINDOWS = 8
const WINDOW_S = 2
/** Of a connection in a window. */
const ASKED = 1_500
const CHANGES = 600
/** To one build before it is the other's turn. */
const CHANGES_TOGETHER = 50
/** Of comparing everything: their median counts. */
const ROUNDS = 5
/** The least that a round comes from the next, and the part of it that a round is spread over: `plan-resync.ts` says so. */
const LEAST_INTERVAL_S = 30
const SPREAD = 0.1
const SAMPLE_MS = 250

/**
 * What two builds are compared by, of a pair of processes: of each figure less is better.
 * @param builds their directories, in the order in which they begin
 * @returns the figures of each, in that order
 */
export async function figuresOfPair(builds, { redisUrl, prompts, semiSpace }) {
  const intervalS = Math.max(LEAST_INTERVAL_S, prompts / 2_500)
  const settings = { redisUrl, semiSpace, resyncMs: intervalS * 1_000, stdout: 'ignore' }
  const services = []
  try {
    const loads = []
    for (const build of builds) {
      const service = await startService({ build, ...settings })
      services.push(service)
      loads.push({ ...(await registry(service)), cpuS: cpuOf(service), rss: memory(service, 'VmRSS') })
    }
    const renders = await rendersInTurns(services, prompts)
    const changes = await changesInTurns(services, prompts, redisUrl)
    const rounds = await Promise.all(services.map((service) => roundsOf(service, intervalS * 1_000 * SPREAD)))
    return services.map((service, side) => ({
      [`${prompts} prompts: processor time`]: {
        'load, s': loads[side].cpuS,
        'a render, µs': renders[side],
        'comparing everything, a round, s': median(rounds[side]),
      },
      'by the clock': { 'load, s': loads[side].last, 'a change → served, p50, ms': median(changes[side]) },
      'resident memory, GiB': { 'after the load': loads[side].rss, 'at most': memory(service, 'VmHWM') },
    }))
  } finally {
    await Promise.all(services.map(stop))
  }
}

/** Microseconds of processor time of a render: the median of windows. */
async function rendersInTurns(services, prompts) {
  for (const service of services) await cannon(service, prompts, WARM_UP_S)
  const micros = services.map(() => [])
  for (let window = 0; window < WINDOWS; window += 1)
    for (const [side, service] of services.entries()) {
      const before = cpuOf(service)
      const { '2xx': answered } = await cannon(service, prompts, WINDOW_S, ASKED)
      micros[side].push((1e6 * (cpuOf(service) - before)) / answered)
    }
  return micros.map(median)
}

async function changesInTurns(services, prompts, redisUrl) {
  const redis = new Redis(redisUrl)
  const times = services.map(() => [])
  const order = [...services.entries()]
  for (let done = 0; done < CHANGES; done += CHANGES_TOGETHER) {
    for (const [side, service] of order)
      times[side].push(...(await timesOfChanges(service, { redis, prompts, changes: CHANGES_TOGETHER })))
    // So that neither build is always the first.
    order.reverse()
  }
  redis.disconnect()
  return times
}

/** Seconds of processor time of each of the next rounds, with nobody else there and without what the service does at rest. */
async function roundsOf(service, spreadMs) {
  const samples = []
  const isWhole = ({ at }) => at - samples[0].at > spreadMs + 2 * SAMPLE_MS
  const ends = () =>
    samples.flatMap((sample, index) =>
      index > 0 && sample.rounds > samples[index - 1].rounds && isWhole(sample) ? [index] : [],
    )
  while (ends().length < ROUNDS) {
    const { rounds } = await registry(service)
    samples.push({ at: performance.now(), cpuS: cpuOf(service), rounds })
    await sleep(SAMPLE_MS)
  }
  return ends().map((end) => aboveRest(samples, end, spreadMs))
}

/** What the processor did in a round that ends with this sample beyond what it does between most samples. */
function aboveRest(samples, end, spreadMs) {
  const start = samples.findLastIndex(({ at }) => at < samples[end].at - spreadMs - 2 * SAMPLE_MS)
  const rest = median(samples.slice(1).map(({ cpuS }, index) => cpuS - samples[index].cpuS))
  return samples[end].cpuS - samples[start].cpuS - rest * (end - start)
}

function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
