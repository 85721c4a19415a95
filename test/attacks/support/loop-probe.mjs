// Loaded into the service's process before it starts: tells how long its event loop was held, and what it holds.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** How often the loop is looked at. */
const TICK_MS = 1
/** Looks beyond this many are not kept one by one: a minute. */
const MAX_TURNS = 60_000

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')
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
  const wallMs = now - seenAt - TICK_MS
  longestLoopMs = Math.max(longestLoopMs, wallMs)
  if (turns.length < MAX_TURNS)
    turns.push({ wallMs, cpuMs: use.cpuMs - usedAt.cpuMs, newPages: use.newPages - usedAt.newPages })
  seenAt = now
  usedAt = use
}

function used() {
  const { userCPUTime, systemCPUTime, minorPageFault } = process.resourceUsage()
  return { cpuMs: (userCPUTime + systemCPUTime) / 1_000, newPages: minorPageFault }
}
