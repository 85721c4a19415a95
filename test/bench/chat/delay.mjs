import { isMainThread, parentPort, Worker } from 'node:worker_threads'

/**
 * Delays that are exact to some tens of microseconds. Node's timers count whole milliseconds and are early or late by
 * up to one: more than what is to be measured. Delays must be equal: they end in the order they began in.
 */
export function createDelay() {
  let worker
  const waiting = []
  return (ms, done) => {
    worker ??= new Worker(new URL(import.meta.url)).on('message', () => waiting.shift()())
    waiting.push(done)
    worker.postMessage(nowMs() + ms)
  }
}

function nowMs() {
  return Number(process.hrtime.bigint() / 1000n) / 1000
}

if (!isMainThread) {
  const cell = new Int32Array(new SharedArrayBuffer(4))
  parentPort.on('message', (due) => {
    Atomics.wait(cell, 0, 0, Math.max(0, due - nowMs()))
    parentPort.postMessage(0)
  })
}
