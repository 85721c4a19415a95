import { HOSTILE_TEMPLATES } from '../tables/hostile-templates.js'

/** How healthy renders fared. */
export interface Fairness {
  /** What the wrong answers were. */
  readonly failures: readonly string[]
  /** Of the healthy ones in milliseconds, shortest first. */
  readonly times: readonly number[]
}

/** Four clients that render after a fashion, while hostile renders that were sent at once are at work. */
export async function besideHostileRenders(
  url: string,
  { hostile, healthy }: { readonly hostile: number; readonly healthy: number },
): Promise<Fairness> {
  const failures: string[] = []
  const times: number[] = []
  const attackers = Array.from({ length: hostile }, (_, index) => {
    const [, userPrompt] = HOSTILE_TEMPLATES[
      index % HOSTILE_TEMPLATES.length
    ] as (typeof HOSTILE_TEMPLATES)[0]
    return render(url, { prompt: { userPrompt } })
  })
  const lanes = Array.from({ length: LANES }, async (_, lane) => {
    for (let count = 0; count < healthy / LANES; count += 1) {
      const name = `${lane}.${count}`
      const startedAt = performance.now()
      const { status, text } = await render(url, {
        prompt: { userPrompt: 'Hello {{.variables.name}}' },
        variables: { name },
      })
      times.push(performance.now() - startedAt)
      if (text !== `Hello ${name}`) failures.push(`${status}: ${text}`)
    }
  })
  await Promise.all(lanes)
  await Promise.all(attackers)
  return { failures, times: times.sort((a, b) => a - b) }
}

const LANES = 4

async function render(url: string, body: object): Promise<{ status: number; text: unknown }> {
  const answer = await fetch(`${url}/api/render`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const content = (await answer.json()) as { readonly rendered_prompt?: unknown }
  return { status: answer.status, text: content.rendered_prompt }
}
