/**
 * How fast answers are read for calls: `npm run bench:protocols [-- --quick]`.
 *
 * Prose and calls in megabytes per second (of characters), calls beside `JSON.parse` of the same arguments in the same
 * run, answers that come by single characters, what a rescue adds to a relayed stream, and hostile text of a megabyte. The ratios are what counts.
 */
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { createRescuingUpstream } from '../../dist/llm/chat/rescue.js'
import { createAnswerRescue } from '../../dist/protocols/answer-rescue.js'
import { PROTOCOL_IDS } from '../../dist/protocols/protocol.js'
import { toolProtocol } from '../../dist/protocols/tool-protocol.js'
import { toEvent } from '../../dist/transport/sse-writer.js'
import { CALLS, HOSTILE, PROSE, TOOLS } from './protocols/inputs.mjs'

const { values: flags } = parseArgs({ options: { quick: { type: 'boolean', default: false } } })
const ROUNDS = flags.quick ? 1 : 7
const WARM_UP_MS = 400
const ROUND_MS = 40
const TEXT_PROTOCOLS = PROTOCOL_IDS.filter((id) => id !== 'native')
const MEGABYTE = 1e6
let sink = 0

const readWhole = (protocol, text) => {
  const parser = protocol.parser(TOOLS)
  return parser.push(text).length + parser.end().length
}

const readByCharacters = (protocol, text) => {
  const parser = protocol.parser(TOOLS)
  let parts = 0
  for (let at = 0; at < text.length; at += 1) parts += parser.push(text[at]).length
  return parts + parser.end().length
}

/** Processor time in milliseconds, so that others on the machine do not count. */
function timeOf(run) {
  const start = process.cpuUsage()
  sink += run()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}

/**
 * Milliseconds of one run: the median of the rounds, each long enough to be measured. Before them it runs for a while,
 * because a server's code is compiled when it counts; `JSON.parse` always is.
 */
function measure(run) {
  const perRound = flags.quick ? 1 : runsIn(ROUND_MS, run)
  const rounds = Array.from({ length: ROUNDS }, () => timeOf(() => repeat(run, perRound)) / perRound)
  return rounds.sort((a, b) => a - b)[ROUNDS >> 1]
}

function runsIn(milliseconds, run) {
  let [runs, spent] = [0, 0]
  while (spent < WARM_UP_MS) {
    spent += timeOf(run)
    runs += 1
  }
  return Math.max(1, Math.round((runs * milliseconds) / spent))
}

function repeat(run, times) {
  let sum = 0
  for (let index = 0; index < times; index += 1) sum += run()
  return sum
}

const rate = (characters, milliseconds) => (characters / MEGABYTE / milliseconds) * 1000

/** What reading the same calls costs at least: every body parsed. */
function measureJson() {
  const bodies = CALLS.map((call) => JSON.stringify(call))
  const characters = bodies.reduce((sum, { length }) => sum + length, 0)
  return rate(
    characters,
    measure(() => bodies.reduce((sum, body) => sum + JSON.parse(body).name.length, 0)),
  )
}

function measureProtocol(id, json) {
  const protocol = toolProtocol(id)
  const calls = protocol.encodeCalls(CALLS)
  const parser = protocol.parser(TOOLS)
  const found = [...parser.push(calls), ...parser.end()].filter(({ kind }) => kind === 'call').length
  if (found !== CALLS.length) throw new Error(`${id} found ${found} of ${CALLS.length} calls`)
  const whole = rate(
    calls.length,
    measure(() => readWhole(protocol, calls)),
  )
  return {
    protocol: id,
    'prose MB/s': Math.round(
      rate(
        PROSE.length,
        measure(() => readWhole(protocol, PROSE)),
      ),
    ),
    'calls MB/s': Math.round(whole),
    '× JSON.parse': (whole / json).toFixed(2),
    'prose by characters MB/s': rate(
      PROSE.length,
      measure(() => readByCharacters(protocol, PROSE)),
    ).toFixed(1),
    'calls by characters MB/s': rate(
      calls.length,
      measure(() => readByCharacters(protocol, calls)),
    ).toFixed(1),
  }
}

const DELTAS = 4_000
const RELAYED = {
  model: 'qwen3:8b',
  messages: [{ role: 'user', content: 'When is high tide?' }],
  tools: [{ type: 'function', function: { name: 'write_file', parameters: TOOLS[0].parameters } }],
}
const CALL_OPTIONS = { signal: new AbortController().signal, requestId: 'r', traceparent: undefined }

/** An upstream that streams prose, an event for each piece of some characters, as models do. */
function streamingUpstream() {
  const head = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' }
  const events = Array.from({ length: DELTAS }, (_, index) => {
    const content = PROSE.slice(index * 5, index * 5 + 5)
    return toEvent(
      JSON.stringify({ ...head, choices: [{ index: 0, delta: { content }, finish_reason: null }] }),
    )
  })
  return {
    name: 'local',
    close: async () => {},
    stream: async () => ({
      events: (async function* () {
        yield* events
      })(),
      usage: () => undefined,
    }),
  }
}

/** Microseconds of processor time that each delta of a relayed stream takes: the least of the rounds. */
async function relayMicros(upstream, rescue) {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < 3 * ROUNDS + 5; round += 1) {
    const start = process.cpuUsage()
    const stream = await upstream.stream(RELAYED, { ...CALL_OPTIONS, rescue })
    for await (const events of stream.events) sink += events.length
    const { user, system } = process.cpuUsage(start)
    least = Math.min(least, (user + system) / DELTAS)
  }
  return least
}

/** What the rescue adds to each delta of a stream, where a route has it and where it has not. */
async function measureRescue() {
  const plain = streamingUpstream()
  const rescuing = createRescuingUpstream(plain, createAnswerRescue(), () => {})
  const relayed = await relayMicros(plain, undefined)
  const row = async (name, rescue) => {
    const micros = await relayMicros(rescuing, rescue)
    return { name, 'µs per delta': micros.toFixed(2), added: (micros - relayed).toFixed(2) }
  }
  return [
    { name: 'the upstream alone', 'µs per delta': relayed.toFixed(2), added: '' },
    await row('a route without rescue', undefined),
    await row('rescue: hermes', 'hermes'),
    await row('rescue: harmony', 'harmony'),
    await row('rescue: minimax-m3', 'minimax-m3'),
  ]
}

/** The slowest of a kind of text, over all protocols, once each: the first reading is the slowest, and the one that counts. */
function measureHostile([name, text]) {
  const times = TEXT_PROTOCOLS.map((id) => ({ id, ms: timeOf(() => readWhole(toolProtocol(id), text)) }))
  const worst = times.reduce((a, b) => (a.ms > b.ms ? a : b))
  return { name, 'worst ms': worst.ms.toFixed(1), protocol: worst.id }
}

console.log(`${cpus()[0]?.model ?? 'unknown'}, ${cpus().length} cores, Node ${process.version}`)
const json = measureJson()
console.log(`JSON.parse of the calls: ${Math.round(json)} MB/s`)
console.table(TEXT_PROTOCOLS.map((id) => measureProtocol(id, json)))
console.log('A relayed stream, a delta of five characters an event:')
console.table(await measureRescue())
console.log('1 MB of hostile text, the slowest protocol:')
console.table(Object.entries(HOSTILE).map(measureHostile))
if (sink === 0) throw new Error('nothing was read')
