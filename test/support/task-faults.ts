import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Random } from './random.js'
import type { TaskFarm, WorkerCall } from './task-farm.js'
import { waitUntil } from './wait-until.js'

/** This many steps have the tasks of these tests. */
const STEPS = 6

/**
 * Every task ended well, no step ran again whose end was stored, and nothing that acts ran twice.
 *
 * @param frozen processes that stood still: one that does so between its intent and its call calls when it goes on, and
 * what is harmless may have been done by another meanwhile
 */
export async function expectNothingTwice(
  farm: TaskFarm,
  ids: readonly string[],
  frozen: ReadonlySet<number | undefined> = new Set(),
): Promise<void> {
  const tasks = await Promise.all(ids.map((id) => farm.end(id)))
  expect(tasks.filter(({ status }) => status !== 'completed').map(({ id, status }) => [id, status])).toEqual(
    [],
  )
  const calls = await farm.calls()
  const isLate = ({ name, pid }: WorkerCall) => name === 'read' && frozen.has(pid)
  const again = calls.filter(({ isFinished }) => isFinished)
  expect(again.filter((call) => !isLate(call))).toEqual([])
  // One for each task that a frozen process had in hand.
  expect(new Set(again.map(({ task }) => task)).size).toBe(again.length)
  const writes = calls.filter(({ name }) => name === 'write').map(({ key }) => key)
  expect(writes.filter((key, index) => writes.indexOf(key) !== index)).toEqual([])
}

/**
 * Kills the worker of a task at random moments (either, where none has begun), and starts another each time.
 *
 * @returns milliseconds from each kill of a task's own worker to the next sign of life of the task
 */
export async function killWorkers(
  farm: TaskFarm,
  random: Random,
  kills: number,
  from: 'the beginning' | 'the first call' = 'the beginning',
): Promise<readonly number[]> {
  const ids: string[] = []
  const recoveries: number[] = []
  for (let kill = 0; kill < kills; kill += 1) {
    const id = await farm.make(STEPS)
    ids.push(id)
    if (from === 'the first call')
      await waitUntil(async () => (await farm.calls()).some(({ task }) => task === id), 'a call', 60_000)
    await sleep(random.below(220))
    const index = await workerOf(farm, id, kill % 2)
    const victim = farm.workers[index]
    const killedAt = Date.now()
    victim?.kill('SIGKILL')
    const next = farm.replace(index)
    await farm.end(id)
    const recovery = recoveryOf(await farm.calls(), id, victim?.pid, killedAt)
    if (recovery !== undefined) recoveries.push(recovery)
    await next
  }
  await expectNothingTwice(farm, ids)
  return recoveries
}

async function workerOf(farm: TaskFarm, task: string, otherwise: number): Promise<number> {
  const last = (await farm.calls()).findLast((call) => call.task === task)
  const index = farm.workers.findIndex(({ pid }) => pid === last?.pid)
  return index === -1 ? otherwise : index
}

/** Undefined when the worker that died had nothing to do with the task, or the task was over. */
function recoveryOf(
  calls: readonly WorkerCall[],
  task: string,
  pid: number | undefined,
  killedAt: number,
): number | undefined {
  const own = calls.filter((call) => call.task === task)
  const after = own.find(({ at }) => at > killedAt)
  const before = own.findLast(({ at }) => at <= killedAt)
  return before?.pid === pid && after !== undefined ? after.at - killedAt : undefined
}
