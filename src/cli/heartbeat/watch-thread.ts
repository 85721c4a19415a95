// Runs in a thread of its own, which `watch-loop.ts` starts.
import { writeSync } from 'node:fs'
import { type Debugger, Session } from 'node:inspector'
import { workerData } from 'node:worker_threads'
import { Pulse, pulseEveryMs } from './pulse.js'
import { BEATS, END_WITHIN, type WatchOrder } from './watch-loop.js'

const STANDARD_OUTPUT = 1
/** Calls that the log line names, the innermost first. */
const MOST_CALLS = 8
/** A built-in function of the engine that takes no interrupt is not waited for. As PID 1 the signal has no effect. */
const KILL_AFTER_MS = 2_000

const order: WatchOrder = workerData
const cells = new Int32Array(order.shared)
const pulse = new Pulse(order.limitMs, performance.now())
let endAt: number | undefined

const looking = setInterval(look, pulseEveryMs(order.limitMs))

function look(): void {
  const now = performance.now()
  const stoodMs = pulse.look(Atomics.load(cells, BEATS), now)
  const withinMs = Atomics.load(cells, END_WITHIN)
  if (withinMs > 0) endAt ??= now + withinMs
  if (endAt === undefined) {
    if (stoodMs !== undefined) end(`the event loop has stood still for ${Math.round(stoodMs)} ms`)
  } else if (now >= endAt) end('the process has not ended in its time')
}

/** Pauses the main thread where it is, and has it end the process there: signals from inside do not reach PID 1. */
function end(why: string): void {
  clearInterval(looking)
  const session = new Session()
  session.connectToMainThread()
  const files = new Map<string, string>()
  session.on('Debugger.scriptParsed', ({ params: { scriptId, url } }) => void files.set(scriptId, url))
  session.on('Debugger.paused', ({ params: { callFrames } }) => {
    const place = callFrames.slice(0, MOST_CALLS).map((call) => placeOf(call, files))
    log(why, place)
    const [frame] = callFrames
    const expression = `globalThis.process.reallyExit(${order.exitCode})`
    if (frame === undefined) session.post('Runtime.evaluate', { expression })
    else session.post('Debugger.evaluateOnCallFrame', { callFrameId: frame.callFrameId, expression })
  })
  session.post('Debugger.enable', () => session.post('Debugger.pause'))
  // A loop that waits has no frame to pause in: it runs this, and pauses there.
  session.post('Runtime.evaluate', { expression: '0' })
  setTimeout(() => {
    log(`${why}, in a built-in function that takes no interrupt`, [])
    process.kill(process.pid, 'SIGKILL')
    // As PID 1 it goes on: the thread stays, for the pause to come.
    setInterval(() => {}, KILL_AFTER_MS)
  }, KILL_AFTER_MS)
}

function placeOf({ functionName, location }: Debugger.CallFrame, files: ReadonlyMap<string, string>): string {
  const url = files.get(location.scriptId) || '<compiled>'
  const file = url.startsWith(order.root) ? url.slice(order.root.length) : url
  return `${functionName || '<anonymous>'} ${file}:${location.lineNumber + 1}:${(location.columnNumber ?? 0) + 1}`
}

/** The last line of the log, written at once: nobody flushes it any more. */
function log(why: string, place: readonly string[]): void {
  const time = new Date().toISOString()
  const msg = `ending with exit code ${order.exitCode}: ${why}`
  const line = order.isReadable
    ? [`${time} FATAL ${msg}`, ...place.map((call) => `    at ${call}`)].join('\n')
    : JSON.stringify({ level: 60, time, code: order.exitCode, place, msg })
  writeSync(STANDARD_OUTPUT, `${line}\n`)
}
