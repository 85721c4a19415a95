// What a request costs the server's own processor, beside the bare relay: in turns of short rounds, so that a machine
// that others use too disturbs both alike. The ratio of a row is the median of its rounds'.
import { cpuMicros } from '../cpu-micros.mjs'
import { openConnections, readStream } from './connections.mjs'

const sentence = 'Is this function safe when two clients write "at once"?\n'
const turn = (index) => ({
  role: index % 2 === 0 ? 'user' : 'assistant',
  content: `${sentence.repeat(17)}${index}`,
})
const bodyOf = (messages) => ({ model: 'm', messages })
const SHORT = bodyOf([{ role: 'user', content: sentence.repeat(7) }])
/** Conversations of about a kilobyte in each message. */
const LONG = bodyOf(Array.from({ length: 62 }, (_, index) => turn(index)))
const HUGE = bodyOf(Array.from({ length: 388 }, (_, index) => turn(index)))

/** The rows: what is sent, how often in a round, over how many connections, and the most that it may cost × the relay. */
const ANSWERS = [
  { name: '0.5 KB', body: SHORT, requests: 500, connections: 50, goal: 1.3 },
  { name: '0.5 KB', body: SHORT, requests: 300, connections: 1, goal: 1.15 },
  { name: '64 KB', body: LONG, requests: 200, connections: 50, goal: 2.5 },
  { name: '64 KB', body: LONG, requests: 100, connections: 1, goal: 2.5 },
  { name: '400 KB', body: HUGE, requests: 40, connections: 8 },
]
/** Rounds that are not counted: how a server starts is another question. */
const WARM_UPS = 10
const BETWEEN_LOOKS_MS = 500
const MOST_LOOKS = 120
/** A service that has nothing to do looks for changes of its files; one that reads libraries takes several times as much. */
const CALM_MICROS = 4_000
/** Between two libraries it rests. */
const CALM_LOOKS = 3
const STREAMS = [
  { name: 'fast', chunks: 1_000, paceMs: 0, streams: 20, goal: 0.9 },
  { name: 'one in 10 ms', chunks: 100, paceMs: 10, streams: 50, goal: 1.3 },
]

/**
 * Compares two targets, and gives the rows of a table for each kind.
 *
 * @param behave tells the upstream how to answer
 */
export async function compareCosts({ relay, service, other }, { behave, rounds, only = '' }) {
  const targets = other === undefined ? { relay, service } : { relay, service, other }
  for (const { pid } of [service, other ?? service]) await settled(pid)
  const chosen = (rows) => rows.filter(({ name }) => name.includes(only))
  await behave({ delayMs: 0 })
  const answers = []
  for (const row of chosen(ANSWERS)) {
    const cost = (target) => costOfAnswers({ ...target, body: row.body }, row)
    for (let index = 0; index < WARM_UPS; index += 1)
      for (const target of Object.values(targets)) await cost(target)
    answers.push([row.name, row.connections, ...(await ratios(targets, rounds, cost)), row.goal ?? ''])
  }
  const streams = []
  for (const row of chosen(STREAMS)) {
    await behave({ chunks: row.chunks, paceMs: row.paceMs })
    const cost = (target) => costOfChunks({ ...target, body: SHORT }, row)
    for (let index = 0; index < WARM_UPS; index += 1)
      for (const target of Object.values(targets)) await cost(target)
    streams.push([row.name, row.streams, ...(await ratios(targets, rounds, cost)), row.goal])
  }
  return { answers, streams }
}

/** After its start a service reads its libraries, in the background. */
async function settled(pid) {
  for (let looks = 0, calm = 0, before = 0; looks < MOST_LOOKS && calm < CALM_LOOKS; looks += 1) {
    const used = cpuMicros(pid)
    calm = used - before < CALM_MICROS ? calm + 1 : 0
    before = used
    await new Promise((done) => setTimeout(done, BETWEEN_LOOKS_MS))
  }
}

/** Of each target its price, and of the service's that beside the relay's and beside the other build's, where there is one. */
async function ratios(targets, rounds, cost) {
  const rows = []
  for (let round = 0; round < rounds; round += 1) {
    const row = {}
    const turns = Object.entries(targets)
    for (const [name, target] of round % 2 === 0 ? turns : turns.reverse()) row[name] = await cost(target)
    rows.push(row)
  }
  const price = (name) => median(rows.map((row) => row[name])).toFixed(1)
  const beside = (name) => spread(rows.map((row) => row.service / row[name]))
  const figures = [price('relay'), price('service'), ...beside('relay')]
  return targets.other === undefined ? figures : [...figures, price('other'), ...beside('other')]
}

/** The median, and where the middle half lies. */
function spread(values) {
  const sorted = values.toSorted((one, other) => one - other)
  const quarter = Math.floor(sorted.length / 4)
  return [median(sorted).toFixed(2), `${sorted[quarter].toFixed(2)} – ${sorted.at(-1 - quarter).toFixed(2)}`]
}

/** Microseconds of processor time for each answer. */
async function costOfAnswers(target, { connections: count, requests }) {
  const connections = await openConnections(target, count)
  const before = cpuMicros(target.pid)
  let left = requests
  const lane = async () => {
    while (left > 0) {
      left -= 1
      const answer = await connections.request()
      if (!answer.startsWith('HTTP/1.1 200')) throw new Error(answer.slice(0, 500))
    }
  }
  await Promise.all(Array.from({ length: count }, lane))
  const used = cpuMicros(target.pid) - before
  connections.close()
  return used / requests
}

/** Microseconds of processor time for each chunk. */
async function costOfChunks(target, { streams, chunks }) {
  const before = cpuMicros(target.pid)
  const read = await Promise.all(Array.from({ length: streams }, () => readStream(target)))
  const used = cpuMicros(target.pid) - before
  const events = read.reduce((sum, each) => sum + each.events, 0)
  if (events < streams * chunks) throw new Error(`${target.name}: ${events} of ${streams * chunks} chunks`)
  return used / events
}

function median(values) {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]
}
