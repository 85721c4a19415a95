import type { Queue } from 'bullmq'
import type { Cluster, Redis } from 'ioredis'
import { parseRedisUrl } from '../../redis/redis-url.js'
import { createQueueClient } from '../../redis/writing/queue-client.js'
import { lazyPackage } from '../../util/packages/lazy-package.js'
import { readPackages } from '../../util/packages/read-packages.js'
import { withTimeout } from '../../util/time/time-limits.js'

/** What is in a job: the checkpoint has everything else. */
export interface JobData {
  readonly task: string
}

export type QueueLibrary = typeof import('bullmq')

const bullmq = lazyPackage<QueueLibrary>('bullmq')

/** The queue of tasks, ready for writing. The caller disconnects its client. */
export interface OpenQueue {
  readonly queue: Queue<JobData>
  readonly client: Redis | Cluster
  readonly library: QueueLibrary
}

export interface QueueAddress {
  /** In the forms of `REDIS_URL`. */
  readonly url: string
  /** The queue's keys begin with `{<keyPrefix>-state:q}`: one slot of a cluster. */
  readonly keyPrefix: string
}

/** The name of the one queue. */
export const QUEUE = 'tasks'

/** What BullMQ puts before the names of queues. */
export function queuePrefix({ keyPrefix }: QueueAddress): string {
  return `{${keyPrefix}-state:q}`
}

/** Opens a connection of the queue. The caller closes it. */
export function connectToQueue({ url }: QueueAddress): Redis | Cluster {
  return createQueueClient(parseRedisUrl(url))
}

/** How long the first answer is waited for, in milliseconds. */
const ANSWER_MS = 4_000

/**
 * Waits until the server has answered what BullMQ asks it at its start: refused then, BullMQ would never ask again, and
 * look for work without a pause. ioredis never answers this question when the connection breaks before it is ready.
 *
 * @throws ReplyError when the server refuses; Error when there is no answer, or the client is disconnected meanwhile
 */
export async function openQueue(
  address: QueueAddress,
  client: Redis | Cluster,
  onError: (error: Error) => void,
): Promise<OpenQueue> {
  await readPackages(['bullmq'], import.meta.url)
  const library = bullmq()
  await withTimeout(client.info(), ANSWER_MS)
  const queue = new library.Queue<JobData>(QUEUE, { connection: client, prefix: queuePrefix(address) })
  queue.on('error', onError)
  return { queue, client, library }
}
