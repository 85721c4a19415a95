// Loaded into the service's process before it starts: tells how long its event loop was held at most.

/** How often the loop is looked at. */
const TICK_MS = 1

let longestLoopMs = 0
let longestBusyMs = 0
let seenAt = performance.now()
let cpuAt = cpuMs()

setInterval(look, TICK_MS).unref()

process.on('message', (message) => {
  if (message !== 'take-loop') return
  look()
  process.send({ longestLoopMs, longestBusyMs })
  longestLoopMs = 0
  longestBusyMs = 0
})
// The probe alone never keeps the process alive.
process.channel.unref()

function look() {
  const now = performance.now()
  const cpu = cpuMs()
  const gapMs = now - seenAt - TICK_MS
  longestLoopMs = Math.max(longestLoopMs, gapMs)
  longestBusyMs = Math.max(longestBusyMs, Math.min(gapMs, cpu - cpuAt))
  seenAt = now
  cpuAt = cpu
}

function cpuMs() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
