/**
 * How fast answers are read for calls: `npm run bench:protocols [-- --quick]`.
 *
 * Prose and calls in megabytes per second (of characters), calls beside `JSON.parse` of the same arguments in the same
 * run, answers that come by single characters, and hostile text of a megabyte. The ratios are what counts.
 */
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { PROTOCOL_IDS } from '../../dist/protocols/protocol.js'
import { toolProtocol } from '../../dist/protocols/tool-protocol.js'
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
console.log('1 MB of hostile text, the slowest protocol:')
console.table(Object.entries(HOSTILE).map(measureHostile))
if (sink === 0) throw new Error('nothing was read')
