import type { ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { createCatalogDirectory } from '../../support/catalog-directory.js'
import type { LoopTurn } from '../../support/loop-turn.js'
import { startService } from '../../support/service-process.js'

const PROBE = fileURLToPath(new URL('loop-probe.mjs', import.meta.url))

/** How long the event loop of the service was held at most, in milliseconds. */
export interface LoopGaps {
  /** By the clock on the wall: also counts that other programs had the processor. */
  readonly longestLoopMs: number
  /** By processor time: what the service itself did in one piece. Tests look at this one. */
  readonly longestBusyMs: number
}

/** What a process holds, in bytes. */
export interface HeldMemory {
  /** Before the forced collection. */
  readonly rss: number
  /** After it. */
  readonly heapUsed: number
  readonly external: number
}

/** The built service in a process of its own, with a probe in its event loop. */
export interface AttackedService {
  readonly url: string
  readonly pid: number
  /** The longest gaps since the last time it was asked. */
  takeGaps(): Promise<LoopGaps>
  /** Every turn since the last time it was asked, whoever took gaps meanwhile. */
  takeTurns(): Promise<readonly LoopTurn[]>
  /** Collects first, and forgets the gaps. */
  takeMemory(): Promise<HeldMemory>
  /** Ends it with SIGTERM; its exit code. */
  stop(): Promise<number | null>
}

/**
 * Starts `dist/main.js` over these documents (`templates/a/b.json`), or what the environment says.
 *
 * @param main another program that serves
 */
export async function startAttackedService(
  documents: Readonly<Record<string, unknown>> = {},
  environment: Readonly<Record<string, string>> = {},
  main?: string,
): Promise<AttackedService> {
  const catalog = createCatalogDirectory(documents)
  // As it comes: what is refused so that others are answered is a part of the picture.
  const usual = { CATALOG_DIR: catalog.path, MAX_LOOP_DELAY_MS: '250', WARM_UP: 'true' }
  const { url, child, stop } = await startService({ ...usual, ...environment }, PROBE, [], undefined, main)
  const ask = createAsk(child)
  let kept: LoopTurn[] = []
  const takeGaps = async () => {
    const gaps = await ask<TakenGaps>('loop')
    kept.push(...gaps.turns)
    return gaps
  }
  return {
    url,
    pid: child.pid as number,
    takeGaps,
    async takeTurns() {
      await takeGaps()
      const turns = kept
      kept = []
      return turns
    },
    takeMemory: () => ask<HeldMemory>('memory'),
    async stop() {
      // A frozen process hears no signal but this one.
      const killer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS)
      const { code } = await stop()
      clearTimeout(killer)
      catalog.dispose()
      return code
    },
  }
}

type TakenGaps = LoopGaps & { readonly turns: readonly LoopTurn[] }

/** Asks the probe; several may ask at the same time. */
function createAsk(child: ChildProcess) {
  const asked = new Map<number, Asked>()
  let last = 0
  child.on('message', (answer: { readonly id: number }) => asked.get(answer.id)?.answered(answer))
  child.once('exit', (code, signal) => {
    for (const { failed } of asked.values()) failed(new Error(`the service ended with ${code ?? signal}`))
  })
  return <Answer>(take: 'loop' | 'memory'): Promise<Answer> => {
    if (!child.connected) return Promise.reject(new Error('the service has ended'))
    last += 1
    const id = last
    const answer = new Promise<Answer>((answered, failed) => {
      asked.set(id, { answered: answered as Asked['answered'], failed })
    })
    const timer = setTimeout(() => asked.get(id)?.failed(new Error('no answer')), PATIENCE_MS)
    // One that ends in this moment answers nobody, and is no failure of the test's own process.
    child.send({ take, id }, (error) => {
      if (error !== null) asked.get(id)?.failed(error)
    })
    return answer.finally(() => {
      clearTimeout(timer)
      asked.delete(id)
    })
  }
}

/** A question that waits for its answer. */
interface Asked {
  readonly answered: (answer: unknown) => void
  readonly failed: (error: Error) => void
}

/** A service that is silent for this long is frozen. */
const PATIENCE_MS = 15_000

export interface Attack {
  readonly service: AttackedService
  /** Default `POST`. */
  readonly method?: string
  readonly path: string
  /** Text and bytes go as they are, anything else as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface AttackResult extends LoopGaps {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked at field by field, and a wrong field fails the test
  readonly body: any
  /** Of the answer's text. */
  readonly length: number
}

/** Sends one request and tells what came back, and how long everyone else had to wait at most. */
export async function attack({ service, path, body, ...options }: Attack): Promise<AttackResult> {
  const payload = body === undefined ? null : toPayload(body)
  const headers = { 'content-type': 'application/json', ...options.headers }
  const method = options.method ?? 'POST'
  const answer = await withGaps(service, async () => {
    const signal = AbortSignal.timeout(PATIENCE_MS)
    const response = await fetch(service.url + path, { method, headers, body: payload, signal })
    return { status: response.status, text: await response.text() }
  })
  const { text, ...rest } = answer
  return { ...rest, body: parsed(text), length: text.length }
}

/** Runs any attack, over sockets or Redis for instance, and adds the gaps to what it returns. */
export async function withGaps<Result extends object>(
  service: AttackedService,
  run: () => Promise<Result>,
): Promise<Result & LoopGaps> {
  await service.takeGaps()
  const result = await run()
  const { longestLoopMs, longestBusyMs } = await service.takeGaps()
  return { ...result, longestLoopMs, longestBusyMs }
}

function toPayload(body: unknown): string | Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return body
  return body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
