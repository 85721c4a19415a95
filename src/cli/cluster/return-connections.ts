import type { Cluster, Worker } from 'node:cluster'
import { setImmediate as turn } from 'node:timers/promises'
import { isJsonObject } from '../../util/json/json.js'
import { numberField, textField } from '../../util/json/json-fields.js'

/** A connection on its way to a worker; the primary's own end of it stays open until the worker has taken it. */
interface Passed {
  close(): void
}

/** How node:cluster marks its internal messages. */
const MARK = 'NODE_CLUSTER'

/**
 * Gives connections that were passed to a worker in the moment of its death to another one. node:cluster sends each with
 * a number and keeps it until the worker has answered that number; for a worker that dies before, it waits for ever, and so
 * does the client. Here the missing answer is given in its place: not taken, which makes it go to the next one. With nobody
 * left the connection is closed.
 *
 * The numbers are read from the messages themselves (`lib/internal/cluster` of Node): no public API has them. If a later
 * Node had others, none would be found, and all would be as without this.
 */
export function returnConnections(cluster: Cluster): void {
  const listening = new Set<Worker>()
  cluster.on('fork', (worker) => {
    const passed = watch(worker)
    worker.once('listening', () => listening.add(worker))
    worker.once('disconnect', () => {
      listening.delete(worker)
      for (const [number, connection] of passed)
        if (listening.size === 0) connection.close()
        else worker.process.emit('internalMessage', { cmd: MARK, ack: number, accepted: false })
      passed.clear()
    })
    worker.process.once('exit', () => void forget(worker, passed))
  })
}

/** While a connection is being passed on, Node does not report that the channel is closed: cluster would keep the dead worker. */
async function forget({ process: child }: Worker, passed: ReadonlyMap<number, Passed>): Promise<void> {
  // What it said last is read by then.
  await turn()
  await turn()
  if (passed.size > 0) child.emit('disconnect')
}

/** The connections that a worker was sent and has not answered, by number. */
function watch({ process: child }: Worker): Map<number, Passed> {
  const passed = new Map<number, Passed>()
  const send: unknown = child.send
  if (typeof send !== 'function') return passed
  Reflect.set(child, 'send', (...words: readonly unknown[]): unknown => {
    const [message, connection] = words
    const number = numberOf(message, 'seq')
    if (number !== undefined && isPassed(connection)) passed.set(number, connection)
    return Reflect.apply(send, child, words)
  })
  child.on('internalMessage', (message: unknown) => {
    const number = numberOf(message, 'ack')
    if (number !== undefined) passed.delete(number)
  })
  return passed
}

function numberOf(message: unknown, field: 'seq' | 'ack'): number | undefined {
  if (!isJsonObject(message) || textField(message, 'cmd') !== MARK) return undefined
  return numberField(message, field)
}

function isPassed(connection: unknown): connection is Passed {
  return (
    typeof connection === 'object' &&
    connection !== null &&
    'close' in connection &&
    typeof connection.close === 'function'
  )
}
