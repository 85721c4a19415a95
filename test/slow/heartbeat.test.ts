import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type ServiceProcess, startService } from '../support/service-process.js'
import type { Json } from '../support/test-app.js'
import { waitUntil } from '../support/wait-until.js'

const STANDS = join(import.meta.dirname, '../support/stand-still.mjs')
const STANDS_AT_END = join(import.meta.dirname, '../support/stand-at-end.mjs')
const MAX_STALL_MS = '1000'
/** A process that is the first of a namespace gets no signals from inside; containers run this image so. */
const AS_FIRST = ['unshare', '--pid', '--fork', '--kill-child', '--']
const mayBeFirst = spawnSync('unshare', [...AS_FIRST.slice(1), 'true']).status === 0

interface Line {
  readonly level?: number
  readonly msg?: string
  readonly code?: number
  readonly place?: readonly string[]
  readonly pid?: number
}

function linesOf(stdout: string): readonly Line[] {
  return stdout.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))
}

/** Those that serve; none while the one that was asked is killed. */
async function workersOf({ url }: ServiceProcess): Promise<readonly number[]> {
  try {
    const status: Json = await (await fetch(`${url}/api/status`)).json()
    return status.workers.map(({ pid }: { pid: number }) => pid)
  } catch {
    return []
  }
}

/** Serves until it is asked to stand still, and tells how it ended. */
async function stand(environment: Record<string, string>, first: readonly string[] = []) {
  const service = await startService({ MAX_STALL_MS, ...environment }, STANDS, first)
  // What is ended is the service, not what it was started by.
  const pid = first.length === 0 ? service.child.pid : childOf(service.child.pid)
  return { service, kill: (signal: NodeJS.Signals) => process.kill(pid ?? 0, signal) }
}

function childOf(pid: number | undefined): number {
  return Number(
    spawnSync('pgrep', ['-P', String(pid)])
      .stdout.toString()
      .trim(),
  )
}

describe('a process whose event loop stands still', () => {
  it.each([
    { name: 'alone', first: [] },
    ...(mayBeFirst ? [{ name: 'as the first of its namespace', first: AS_FIRST }] : []),
  ])('$name, ends with a code of its own, and says where it stood', async ({ first }) => {
    const { service, kill } = await stand({}, first)
    kill('SIGUSR2')
    // Has no effect: it ends by itself.
    const { code, stdout } = await service.stop('SIGCONT')
    expect(code).toBe(70)
    const last = linesOf(stdout).at(-1)
    expect(last).toMatchObject({ level: 60, code: 70, msg: expect.stringContaining('was blocked for') })
    expect(last?.place?.[0]).toMatch(/^standStill .*stand-still\.mjs:\d+:\d+$/)
  })

  it.each([
    { name: 'watched', environment: {} },
    { name: 'that nobody watched before', environment: { MAX_STALL_MS: '0' } },
  ])('$name, is left alone while it drains, and ends with the drain', async ({ environment }) => {
    const drain = { DRAIN_DELAY_MS: '0', DRAIN_TIMEOUT_MS: '1000' }
    const service = await startService({ MAX_STALL_MS, ...environment, ...drain }, STANDS_AT_END)
    const { code, stdout } = await service.stop('SIGTERM')
    // Where the machine is too busy to interrupt it in time, it is killed.
    expect([70, null]).toContain(code)
    expect(linesOf(stdout).at(-1)?.msg).toContain('has not ended in its time')
  })

  it('is a worker like any other that ended: killed, told of and replaced', async () => {
    const service = await startService({ MAX_STALL_MS, WORKERS: '2' }, STANDS)
    await waitUntil(async () => (await workersOf(service)).length === 2)
    const [standing = 0, other = 0] = await workersOf(service)
    process.kill(standing, 'SIGUSR2')
    await waitUntil(async () => {
      const now = await workersOf(service)
      return now.length === 2 && !now.includes(standing) && now.includes(other)
    })
    // One that stands when the service is asked to end holds it up to the drain's end only.
    const [last = 0] = await workersOf(service)
    process.kill(last, 'SIGUSR2')
    const { code, stdout } = await service.stop('SIGTERM')
    expect(code).toBe(0)
    expect(linesOf(stdout)).toContainEqual(
      expect.objectContaining({ pid: standing, msg: 'a worker is blocked and is killed' }),
    )
  })
})
