// Runs in a thread of its own, which `watch-loop.ts` starts.
import { writeSync } from 'node:fs'
import { type Debugger, Session } from 'node:inspector'
import { parentPort, workerData } from 'node:worker_threads'
import { Pulse, pulseEveryMs } from './pulse.js'
import { waitedMs } from './waited-ms.js'
import { type EndOrder, machineTime, type WatchOrder } from './watch-loop.js'

const STANDARD_OUTPUT = 1
/** Calls that the log line names, the innermost first. */
const MAX_CALLS = 8
/** A built-in function of the engine that takes no interrupt is not waited for. As PID 1 the signal has no effect. */
const KILL_AFTER_MS = 2_000
/** Even where the time is over, the main thread gets this long to say where it is. */
const LEAST_MS = 200

watch(workerData, machineTime)

/** @param now monotonic milliseconds */
function watch(order: WatchOrder, now: () => number): void {
  let looking: NodeJS.Timeout | undefined
  if (order.limitMs > 0) looking = watchBeats(order, now)
  // Whenever this is read, the times are the same.
  parentPort?.once('message', ({ interruptAt, killAt }: EndOrder) => {
    clearInterval(looking)
    const waitMs = Math.max(0, interruptAt - now())
    setTimeout(
      () => end(order, 'the process has not ended in its time', Math.max(LEAST_MS, killAt - now())),
      waitMs,
    )
  })
}

function watchBeats(order: WatchOrder, now: () => number): NodeJS.Timeout {
  const cells = new Int32Array(order.shared)
  const pulse = new Pulse(order.limitMs, now())
  const looking = setInterval(() => {
    const stoodMs = pulse.look({ beats: Atomics.load(cells, 0), waitedMs: waitedMs(process.pid) }, now())
    if (stoodMs === undefined) return
    clearInterval(looking)
    end(order, `the event loop was blocked for ${Math.round(stoodMs)} ms`, KILL_AFTER_MS)
  }, pulseEveryMs(order.limitMs))
  return looking
}

/** Pauses the main thread where it is, and has it end the process there: signals from inside do not reach PID 1. */
function end(order: WatchOrder, why: string, killAfterMs: number): void {
  const session = new Session()
  session.connectToMainThread()
  const files = new Map<string, string>()
  session.on('Debugger.scriptParsed', ({ params: { scriptId, url } }) => void files.set(scriptId, url))
  session.on('Debugger.paused', ({ params: { callFrames } }) => {
    const place = callFrames.slice(0, MAX_CALLS).map((call) => placeOf(call, files, order.root))
    log(order, why, place)
    const [frame] = callFrames
    const expression = `globalThis.process.reallyExit(${order.exitCode})`
    if (frame === undefined) session.post('Runtime.evaluate', { expression })
    else session.post('Debugger.evaluateOnCallFrame', { callFrameId: frame.callFrameId, expression })
  })
  session.post('Debugger.enable', () => session.post('Debugger.pause'))
  // A loop that waits has no frame to pause in: it runs this, and pauses there.
  session.post('Runtime.evaluate', { expression: '0' })
  setTimeout(() => {
    log(order, `${why}, in a built-in function that takes no interrupt`, [])
    process.kill(process.pid, 'SIGKILL')
    // As PID 1 the process continues: the thread stays for the next block.
    setInterval(() => {}, KILL_AFTER_MS)
  }, killAfterMs)
}

function placeOf(
  { functionName, location }: Debugger.CallFrame,
  files: ReadonlyMap<string, string>,
  root: string,
): string {
  const url = files.get(location.scriptId) || '<compiled>'
  const file = url.startsWith(root) ? url.slice(root.length) : url
  return `${functionName || '<anonymous>'} ${file}:${location.lineNumber + 1}:${(location.columnNumber ?? 0) + 1}`
}

/** The last line of the log, written at once: nobody flushes it any more. */
function log(order: WatchOrder, why: string, place: readonly string[]): void {
  const time = new Date().toISOString()
  const msg = `ending with exit code ${order.exitCode}: ${why}`
  const line = order.isReadable
    ? [`${time} FATAL ${msg}`, ...place.map((call) => `    at ${call}`)].join('\n')
    : JSON.stringify({ level: 60, time, code: order.exitCode, place, msg })
  writeSync(STANDARD_OUTPUT, `${line}\n`)
}
