import { Worker } from 'node:worker_threads'

/** Somebody who answers while this thread does something else. */
export interface Answerer {
  /** Asks; the answer is what it is asked. */
  ask(text: string): Promise<string>
  /** Holds the event loop until the answer is there, unread, and this many milliseconds have passed. */
  hold(ms: number): void
  stop(): Promise<unknown>
}

const CODE = `
  const { parentPort, workerData } = require('node:worker_threads')
  parentPort.on('message', (text) => {
    parentPort.postMessage(text)
    Atomics.add(workerData, 0, 1)
  })`

/** Starts a thread that answers at once. */
export async function startAnswerer(): Promise<Answerer> {
  const answers = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(CODE, { eval: true, workerData: answers })
  await new Promise((resolve) => worker.once('online', resolve))
  let asked = 0
  return {
    ask(text) {
      asked += 1
      return new Promise((resolve) => {
        worker.once('message', resolve)
        worker.postMessage(text)
      })
    },
    hold(ms) {
      const end = performance.now() + ms
      while (performance.now() < end || Atomics.load(answers, 0) < asked);
    },
    stop: () => worker.terminate(),
  }
}
