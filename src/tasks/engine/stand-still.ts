import type { Cluster, Redis } from 'ioredis'

/** What one look at the queue and at a worker found. */
export interface QueueLook {
  /** How many jobs the worker has begun. */
  readonly taken: number
  /** Whether it could have begun another. */
  readonly isFree: boolean
  /** Jobs that nobody has in hand though their time has come. */
  readonly idle: readonly string[]
}

/** Number of jobs of each kind to examine: those that are next. */
const LOOKED_AT = 100
/** Scores of delayed jobs are the time in milliseconds times this factor, plus a counter. */
const SCORE_PER_MS = 0x1000

/**
 * Whether a worker is stuck: between two looks it was free, a job was waiting, and it took none.
 */
export function standsStill(before: QueueLook | undefined, now: QueueLook): boolean {
  if (before === undefined || !before.isFree || !now.isFree || before.taken !== now.taken) return false
  return now.idle.some((job) => before.idle.includes(job))
}

/**
 * Jobs that wait, whose delay is over, or whose worker has let its lock go.
 *
 * @param queue how the queue's keys begin
 * @throws Error as the client does
 */
export async function idleJobs(
  client: Redis | Cluster,
  queue: string,
  now: number,
): Promise<readonly string[]> {
  const [waiting, due, active] = await Promise.all([
    client.lrange(`${queue}:wait`, -LOOKED_AT, -1),
    client.zrangebyscore(`${queue}:delayed`, 0, now * SCORE_PER_MS, 'LIMIT', 0, LOOKED_AT),
    client.lrange(`${queue}:active`, -LOOKED_AT, -1),
  ])
  const locks = await Promise.all(active.map((job) => client.exists(`${queue}:${job}:lock`)))
  return [...waiting, ...due, ...active.filter((_job, index) => locks[index] === 0)]
}
