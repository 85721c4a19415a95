// Loaded into the service's process before it starts: tells how long its event loop was held, and what it holds.
import { openSync, readSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** How often the loop is looked at. */
const TICK_MS = 1
/** Looks beyond this many are not kept one by one: a minute. */
const MAX_TURNS = 60_000

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')
const schedule = openSchedule()
const scheduled = Buffer.alloc(128)
let longestLoopMs = 0
let turns = []
let seenAt = performance.now()
let usedAt = used()

setInterval(look, TICK_MS).unref()

process.on('message', (message) => {
  if (message.take === 'loop') takeLoop(message.id)
  if (message.take === 'memory') takeMemory(message.id)
})
// The probe alone never keeps the process alive.
process.channel.unref()

function takeLoop(id) {
  look()
  const longestBusyMs = turns.reduce((most, { wallMs, cpuMs }) => Math.max(most, Math.min(wallMs, cpuMs)), 0)
  process.send({ id, longestLoopMs, longestBusyMs, turns })
  longestLoopMs = 0
  turns = []
}

/** After a forced collection; the first one only finds what the second one can free. */
function takeMemory(id) {
  const { rss } = process.memoryUsage()
  collect()
  setImmediate(() => {
    collect()
    const { heapUsed, external } = process.memoryUsage()
    process.send({ id, rss, heapUsed, external })
    seenAt = performance.now()
    usedAt = used()
    longestLoopMs = 0
    turns = []
  })
}

function look() {
  const now = performance.now()
  const use = used()
  const gapMs = now - seenAt
  longestLoopMs = Math.max(longestLoopMs, gapMs - TICK_MS)
  const [cpuMs, newPages] = [use.cpuMs - usedAt.cpuMs, use.newPages - usedAt.newPages]
  const awayMs = use.idleMs - usedAt.idleMs + use.queuedMs - usedAt.queuedMs
  if (turns.length < MAX_TURNS) turns.push({ wallMs: Math.max(0, gapMs - awayMs), cpuMs, newPages })
  seenAt = now
  usedAt = use
}

function used() {
  const { userCPUTime, systemCPUTime, minorPageFault } = process.resourceUsage()
  const { idle: idleMs } = performance.eventLoopUtilization()
  const cpuMs = (userCPUTime + systemCPUTime) / 1_000
  return { cpuMs, newPages: minorPageFault, idleMs, queuedMs: queuedMs() }
}

/** How long the loop's thread was ready to run and other threads had the processors. */
function queuedMs() {
  if (schedule === undefined) return 0
  const [, queued] = scheduled.toString('latin1', 0, readSync(schedule, scheduled, 0, 128, 0)).split(' ')
  return Number(queued) / 1e6
}

/** Where Linux tells it. */
function openSchedule() {
  try {
    return openSync(`/proc/self/task/${process.pid}/schedstat`)
  } catch {
    return undefined
  }
}
