/**
 * How fast answers are read for calls: `npm run bench:protocols [-- --quick]`.
 *
 * Prose and calls in megabytes per second (of characters), answers that come by single characters, what a rescue adds to a
 * relayed stream, and hostile text of a megabyte, as whole texts and in pieces. The ratios are what counts: reading a call
 * beside `JSON.parse` of the same call, in rounds that take turns, so that others on the machine slow down both.
 *
 * Families without types of their own write values as text, and what reads them must print that text as JSON for the
 * caller. `JSON.stringify` of the texts alone is a row of its own: no reader of such a family can be faster than it.
 */
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { createRescuingUpstream } from '../../dist/llm/chat/rescue.js'
import { createAnswerRescue } from '../../dist/protocols/answer-rescue.js'
import { PROTOCOL_IDS } from '../../dist/protocols/protocol.js'
import { toolProtocol } from '../../dist/protocols/tool-protocol.js'
import { toEvent } from '../../dist/transport/sse-writer.js'
import { cutText } from '../../dist/util/text/cut-text.js'
import { CALLS, HOSTILE, PROSE, SHORT_CALLS, TOOLS } from './protocols/inputs.mjs'

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

/** Calls of this many characters of text each: the usual file, and calls that are short. */
const SIZES = { '2 KB': CALLS, '100 B': SHORT_CALLS }
const TURNS = flags.quick ? 3 : 21
const TURN_MS = 4

const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1]

/** Milliseconds of each of these runs: medians of rounds that take turns. */
function measureInTurns(runs) {
  const counts = runs.map((run) => {
    let times = 1
    while (timeOf(() => repeat(run, times)) < TURN_MS && times < 1 << 16) times *= 2
    return times
  })
  const rounds = Array.from({ length: TURNS }, () =>
    runs.map((run, index) => timeOf(() => repeat(run, counts[index])) / counts[index]),
  )
  return runs.map((_, index) => median(rounds.map((round) => round[index])))
}

/** How a call compares with `JSON.parse` of it, in calls of two sizes. */
function measureRatios() {
  const readers = TEXT_PROTOCOLS.map((id) => ({ id, protocol: toolProtocol(id) }))
  const columns = Object.entries(SIZES).map(([size, calls]) => {
    const bodies = calls.map((call) => JSON.stringify(call))
    const texts = calls.map(({ arguments: args }) => args.content)
    const [json, strings, ...times] = measureInTurns([
      () => bodies.reduce((sum, body) => sum + JSON.parse(body).name.length, 0),
      () => texts.reduce((sum, text) => sum + JSON.stringify(text).length, 0),
      ...readers.map(({ protocol }) => {
        const written = protocol.encodeCalls(calls)
        return () => readWhole(protocol, written)
      }),
    ])
    return { size, calls, json, strings, times }
  })
  const row = (name, timeIn) => {
    const cells = columns.flatMap((column) => [
      [`µs, ${column.size}`, ((timeIn(column) / column.calls.length) * 1000).toFixed(2)],
      [`× JSON.parse, ${column.size}`, (column.json / timeIn(column)).toFixed(2)],
    ])
    return { name, ...Object.fromEntries(cells) }
  }
  return [
    row('JSON.parse of the call', ({ json }) => json),
    row('JSON.stringify of its text', ({ strings }) => strings),
    ...readers.map(({ id }, index) => row(id, ({ times }) => times[index])),
  ]
}

/** The longest piece of each kind of hostile text over all protocols, as agents read what comes at once. */
function measurePieces() {
  const found = TEXT_PROTOCOLS.flatMap((id) =>
    Object.entries(HOSTILE).map(([name, text]) => {
      const parser = toolProtocol(id).parser(TOOLS)
      const pieces = cutText(text).map((piece) => timeOf(() => parser.push(piece).length))
      return {
        protocol: id,
        name,
        ms: Math.max(
          ...pieces,
          timeOf(() => parser.end().length),
        ),
      }
    }),
  )
  return found
    .sort((a, b) => b.ms - a.ms)
    .slice(0, 8)
    .map(({ ms, ...row }) => ({ ...row, 'longest ms': ms.toFixed(1) }))
}

function measureProtocol(id) {
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

/** Microseconds of processor time that each delta of a relayed stream takes. */
async function relayMicros(upstream, rescue) {
  const start = process.cpuUsage()
  const stream = await upstream.stream(RELAYED, { ...CALL_OPTIONS, rescue })
  for await (const events of stream.events) sink += events.length
  const { user, system } = process.cpuUsage(start)
  return (user + system) / DELTAS
}

/** What the rescue adds to each delta of a stream, where a route has it and where it has not: rounds that take turns. */
async function measureRescue() {
  const plain = streamingUpstream()
  const rescuing = createRescuingUpstream(plain, createAnswerRescue(), () => {})
  const ways = [
    { name: 'the upstream alone', upstream: plain, micros: [] },
    { name: 'a route without rescue', upstream: rescuing, micros: [] },
    ...['hermes', 'harmony', 'minimax-m3'].map((rescue) => ({
      name: `rescue: ${rescue}`,
      upstream: rescuing,
      rescue,
      micros: [],
    })),
  ]
  for (let round = 0; round < TURNS + 5; round += 1)
    for (const { upstream, rescue, micros } of ways) micros.push(await relayMicros(upstream, rescue))
  // The first rounds are compiled.
  const least = (micros) => Math.min(...micros)
  const middle = (micros) => median(micros.slice(5))
  const [alone] = ways
  return ways.map(({ name, micros }) => ({
    name,
    'µs per delta, least': least(micros).toFixed(2),
    'added, least': (least(micros) - least(alone.micros)).toFixed(2),
    'µs per delta, median': middle(micros).toFixed(2),
    'added, median': (middle(micros) - middle(alone.micros)).toFixed(2),
  }))
}

/** The slowest of a kind of text, over all protocols, once each: the first reading is the slowest, and the one that counts. */
function measureHostile([name, text]) {
  const times = TEXT_PROTOCOLS.map((id) => ({ id, ms: timeOf(() => readWhole(toolProtocol(id), text)) }))
  const worst = times.reduce((a, b) => (a.ms > b.ms ? a : b))
  return { name, 'worst ms': worst.ms.toFixed(1), protocol: worst.id }
}

console.log(`${cpus()[0]?.model ?? 'unknown'}, ${cpus().length} cores, Node ${process.version}`)
console.table(TEXT_PROTOCOLS.map(measureProtocol))
console.log('A call, with a text of two sizes, beside `JSON.parse` of it:')
console.table(measureRatios())
console.log('A relayed stream, a delta of five characters an event:')
console.table(await measureRescue())
console.log('1 MB of hostile text, the slowest protocol:')
console.table(Object.entries(HOSTILE).map(measureHostile))
console.log('The same in pieces of 4,096 characters, the longest pieces of all protocols:')
console.table(measurePieces())
if (sink === 0) throw new Error('nothing was read')
