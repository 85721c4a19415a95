import { HOSTILE_TEMPLATES } from '../tables/hostile-templates.js'

/** What healthy renders are promised, in milliseconds. */
export const FAIRNESS_BOUNDS = { p50: 20, p99: 150 }

/** Who else is at work. */
export interface Hostility {
  /** Renders that are sent at once. */
  readonly hostile: number
  /** Each is sent again when it is over, as long as healthy ones are asked for. */
  readonly isKept?: boolean
  /** Makes the requests; by default one of each hostile template. */
  readonly bodies?: readonly (() => object)[]
}

/** How healthy renders fared. */
export interface Fairness {
  /** What the wrong answers were. */
  readonly failures: readonly string[]
  /** Of the healthy ones in milliseconds, shortest first. */
  readonly times: readonly number[]
}

const TEMPLATES = HOSTILE_TEMPLATES.map(([, userPrompt]) => () => ({ prompt: { userPrompt } }))
const LANES = 4

/** Four clients that render after a fashion, while hostile renders are at work. */
export async function besideHostileRenders(
  url: string,
  { hostile, healthy, isKept = false, bodies = TEMPLATES }: Hostility & { readonly healthy: number },
): Promise<Fairness> {
  const failures: string[] = []
  const times: number[] = []
  let isOver = false
  const attackers = Array.from({ length: hostile }, async (_, index) => {
    const body = bodies[index % bodies.length]?.() ?? {}
    do await render(url, body)
    while (isKept && !isOver)
  })
  const lanes = Array.from({ length: LANES }, async (_, lane) => {
    for (let count = 0; count < healthy / LANES; count += 1) {
      const name = `${lane}.${count}`
      const startedAt = performance.now()
      const { status, text, code } = await render(url, {
        prompt: { userPrompt: 'Hello {{.variables.name}}' },
        variables: { name },
      })
      times.push(performance.now() - startedAt)
      if (text !== `Hello ${name}`) failures.push(`${status}: ${code ?? text}`)
    }
  })
  await Promise.all(lanes)
  isOver = true
  await Promise.all(attackers)
  return { failures, times: times.sort((a, b) => a - b) }
}

/** Of sorted times. */
export function percentileOf(times: readonly number[], part: number): number {
  return times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0
}

/** How a render ended. */
interface Rendered {
  readonly status: number
  readonly text: unknown
  /** Of an error. */
  readonly code: string | undefined
}

async function render(url: string, body: object): Promise<Rendered> {
  const answer = await fetch(`${url}/api/render`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const content: { readonly rendered_prompt?: unknown; readonly error?: { readonly code: string } } =
    JSON.parse(await answer.text())
  return { status: answer.status, text: content.rendered_prompt, code: content.error?.code }
}
