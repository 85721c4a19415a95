// A catalog of any number of prompts in Redis, and which of them are asked for: few often and many seldom (Zipf).
import { spawn } from 'node:child_process'
import autocannon from 'autocannon'
import { Redis } from 'ioredis'
import { freePort } from '../free-port.mjs'
import { requestBytes } from './open-loop.mjs'

const EXTENSIONS = 1_000
const WRITE_BATCH = 500
export const CONNECTIONS = 64
const HEADERS = { 'content-type': 'application/json' }
const FILLER =
  'Follow the conventions of the project, name things for what they are, and say what you left out. '

export const idOf = (index) => `team${index % EXTENSIONS}.prompt_${index}`
export const keyOf = (index) => `shenma:templates:team${index % EXTENSIONS}:prompt_${index}`

/** JSON of a prompt; its text says its version. */
export function documentOf(index, version = 0) {
  const text = `You help team ${index % EXTENSIONS} with task ${index}, version ${version}. Answer {{.variables.name}} in {{.variables.language}}.
{{if .variables.strict}}Be strict.{{end}}
${FILLER.repeat(18)}${index}
{{range .variables.rules}}- {{.}}
{{end}}`
  return JSON.stringify({ name: `prompt_${index}`, description: `Task ${index}`, userPrompt: text })
}

/** Writes this many prompts. */
export async function fill(url, prompts) {
  const redis = new Redis(url)
  for (let start = 0; start < prompts; start += WRITE_BATCH) {
    const length = Math.min(WRITE_BATCH, prompts - start)
    const batch = Array.from({ length }, (_, offset) => start + offset)
    await redis.mset(batch.flatMap((index) => [keyOf(index), documentOf(index)]))
  }
  await redis.quit()
}

/** Ranks from 0; the n-th is asked for 1/n times as often as the first. */
export function zipf(prompts) {
  return Math.min(prompts - 1, Math.floor(Math.exp(Math.random() * Math.log(prompts + 1))) - 1)
}

function renderOf(index) {
  const name = `user ${Math.floor(Math.random() * 1_000)}`
  const variables = { name, language: 'English', strict: true, rules: ['one', 'two', 'three'] }
  return { method: 'POST', path: `/api/render/prompts/${idOf(index)}`, body: JSON.stringify({ variables }) }
}

/** The bytes of a render of some prompt. */
export const nextRender = (prompts) => requestBytes(renderOf(zipf(prompts)))

/**
 * As many renders as the service can. Each connection asks for prompts of its own choice: one list for all would be copied
 * for each of them.
 * @param asked renders of a connection before it begins again; more than it gets to, since the same list again is not Zipf's
 */
export function cannon({ url }, prompts, duration, asked = 4_000) {
  const setupClient = (client) =>
    client.setRequests(
      Array.from({ length: asked }, () => ({ ...renderOf(zipf(prompts)), headers: HEADERS })),
    )
  return autocannon({
    url,
    method: 'POST',
    headers: HEADERS,
    connections: CONNECTIONS,
    setupClient,
    duration,
  })
}

export async function renderOnce({ url }, index) {
  const body = JSON.stringify({ variables: { name: 'x', language: 'English', strict: true, rules: [] } })
  const response = await fetch(`${url}/api/render/prompts/${idOf(index)}`, {
    method: 'POST',
    headers: HEADERS,
    body,
  })
  return response.text()
}

export async function startRedis() {
  const port = await freePort()
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  const child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const chunk of child.stdout) if (String(chunk).includes('Ready to accept')) break
  return { child, url: `redis://127.0.0.1:${port}` }
}
