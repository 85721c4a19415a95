import { mistakeOf, sendRow } from '../attacks/support/http-attack.js'
import { BODIES } from '../attacks/tables/bodies.js'
import { NUMBERS } from '../attacks/tables/numbers.js'
import { SCHEMAS } from '../attacks/tables/schemas.js'
import { TEMPLATES } from '../attacks/tables/templates.js'
import { type Exchange, exchange, type Load, OUTAGES, send } from './exchange.js'
import { useKeys } from './key-load.js'
import { speakMcp } from './mcp-load.js'
import { converse, work } from './state-load.js'
import { RENDER_TIMEOUT_MS, SAYS, type World } from './world.js'

const ATTACKS = [...BODIES, ...NUMBERS, ...SCHEMAS, ...TEMPLATES]
/** An answer this shortly before the end of the render may miss it. */
const GRACE_MS = 100

/** Ordinary load by kind, and attacks. */
export const LOADS: Readonly<Record<string, Load>> = {
  renders: (world, count) => render(world, 'plain', `r${count}`),
  'renders with a tool': (world, count) => render(world, 'tool', `t${count}`),
  chats: (world, count) => chat(world, `c${count}`),
  'streamed chats': (world, count) => streamed(world, `s${count}`),
  'event streams': (world) => events(world),
  'sessions with an agent': converse,
  tasks: work,
  'clients of MCP': speakMcp,
  keys: useKeys,
  attacks: (world, count) => attackOnce(world, count),
}

async function render(world: World, prompt: 'plain' | 'tool', name: string): Promise<Exchange> {
  const startedAt = performance.now()
  const { status, body } = await send(world, 'POST', `/api/render/prompts/soak.${prompt}`, {
    variables: { name },
  })
  const text = (body as { readonly rendered_prompt?: unknown } | undefined)?.rendered_prompt
  // A tool that answers too late ends the render, or is substituted; one that answered in time is no excuse.
  const toolMs = (world.toolAnsweredAt(name) ?? Number.POSITIVE_INFINITY) - startedAt
  const isLate = prompt === 'tool' && saysTimeout(body) && toolMs > RENDER_TIMEOUT_MS - GRACE_MS
  return exchange(status, isLate || (status === 200 && text === SAYS[prompt](name)), body)
}

function saysTimeout(body: unknown): boolean {
  return /"code":"(render_timeout|timeout)"/.test(JSON.stringify(body))
}

async function chat(world: World, name: string): Promise<Exchange> {
  const { status, body } = await send(world, 'POST', '/api/chat/prompts/soak.plain', {
    model: 'm',
    variables: { name },
  })
  const isRight =
    status === 200 ? JSON.stringify(body).includes(`"heard: ${SAYS.plain(name)}"`) : OUTAGES.includes(status)
  return exchange(status, isRight, body)
}

async function streamed(world: World, name: string): Promise<Exchange> {
  const messages = [{ role: 'user', content: SAYS.plain(name) }]
  const { status, body } = await send(world, 'POST', '/v1/chat/completions', {
    model: 'm',
    stream: true,
    messages,
  })
  if (status !== 200) return exchange(status, OUTAGES.includes(status), body)
  const whole = `heard: ${SAYS.plain(name)}`
  const said = [...String(body).matchAll(/"content":"([^"]*)"/g)].map(([, text]) => text).join('')
  // A stream that breaks off says so, and what it said until then is right.
  if (String(body).includes('event: error'))
    return { ended: '200, broken off', mistake: whole.startsWith(said) ? undefined : said }
  return exchange(status, said === whole && String(body).includes('[DONE]'), body)
}

async function events({ service, keys }: World): Promise<Exchange> {
  const controller = new AbortController()
  const response = await fetch(`${service.url}/api/events`, {
    signal: controller.signal,
    headers: { authorization: `Bearer ${keys.all}` },
  })
  const first = await response.body?.getReader().read()
  controller.abort()
  const text = Buffer.from(first?.value ?? new Uint8Array()).toString()
  return exchange(response.status, text.includes('event: hello'), text)
}

async function attackOnce({ service, keys }: World, count: number): Promise<Exchange> {
  // A stride that has no divisor in common with the number of rows visits all of them.
  const row = ATTACKS[(count * 31) % ATTACKS.length] as (typeof ATTACKS)[number]
  const answer = await sendRow(service, row, { authorization: `Bearer ${keys.all}` })
  if (answer.body?.error?.code === 'overloaded') return exchange(503, true, answer.body)
  const mistake = mistakeOf(row, answer)
  return { ended: String(answer.status), mistake: mistake && `${row.name}: ${mistake}` }
}
