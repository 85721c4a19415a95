import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json } from '../../support/agent-service.js'
import { type ServiceProcess, startService } from '../../support/service-process.js'
import { waitUntil } from '../../support/wait-until.js'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../../..')
const pages = ['docs/guides/agents.md', 'docs/guides/tasks.md']
  .map((file) => readFileSync(join(root, file), 'utf8'))
  .join('\n')
const STEP = /<!-- tour -->\n```sh\n([\s\S]*?)\n```\n```(json|text)\n([\s\S]*?)\n```/g
const steps = [...pages.matchAll(STEP)].map(([, command = '', kind = '', answer = '']) => ({
  ...{ command, kind, answer },
}))

// One of the commands edits the catalog.
const clone = mkdtempSync(join(tmpdir(), 'ai-prompt-shell-agents-'))
const servers: ChildProcess[] = []
let service: ServiceProcess

/** @returns the address that a program of the examples says it listens on */
async function startExample(file: string): Promise<string> {
  const child = spawn(process.execPath, [join('examples/tool-server', file)], {
    cwd: root,
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  servers.push(child)
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  return /http:\/\/\S+/.exec(String(line))?.[0] ?? ''
}

beforeAll(async () => {
  const examples = join(clone, 'examples')
  cpSync(join(root, 'examples/catalog'), join(examples, 'catalog'), { recursive: true })
  for (const name of ['lookup_ref', 'caller'])
    makePatient(join(examples, 'catalog/tools/codebase', `${name}.json`))
  const [tools, model] = await Promise.all([startExample('server.mjs'), startExample('model.mjs')])
  service = await startService({
    CATALOG_DIR: join(examples, 'catalog'),
    TOOL_BASE_URL: tools,
    LLM_BASE_URL: model,
    LLM_MODEL: 'demo',
  })
  // First calls are slow.
  for (const symbol of ['SaveOrder', 'ApplyDiscount'])
    await waitUntil(
      async () => (await tool('lookup_ref', { symbol })) && tool('caller', { function: symbol }),
    )
})
afterAll(async () => {
  await service.stop()
  for (const server of servers) server.kill()
  rmSync(clone, { recursive: true })
})

/** The tools of the catalog give up after 300 ms, and the machine may be busy. */
function makePatient(file: string): void {
  writeFileSync(file, readFileSync(file, 'utf8').replace('"timeoutMs": 300', '"timeoutMs": 10000'))
}

async function tool(name: string, args: object): Promise<boolean> {
  const { status } = await post(`/api/tools/codebase.${name}/call`, { arguments: args })
  return status === 200
}

async function post(path: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
}

function answerOf(response: Response): Promise<Json> {
  return response.json()
}

/** `…` stands for anything. */
function pattern(value: unknown): unknown {
  if (value === '…') return expect.anything()
  if (Array.isArray(value)) return value.map(pattern)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, pattern(item)]))
}

describe('an agent and a task in two minutes', () => {
  it('has a command for each thing it shows', () => {
    expect(steps.length).toBe(5)
  })

  it.each(steps)('$command', async ({ command, kind, answer }) => {
    const there = command
      .replaceAll('localhost:8080', new URL(service.url).host)
      .replaceAll('npx ai-prompt-shell', `"${process.execPath}" "${join(root, 'dist/main.js')}"`)
    const { stdout } = await run('bash', ['-c', there], { cwd: clone })
    if (kind === 'json') expect(JSON.parse(stdout)).toEqual(pattern(JSON.parse(answer)))
    else expect(stdout.trimEnd()).toBe(answer)
  })
})

describe('the other bundled agent', () => {
  it('finds facts with a model that writes its calls as text, and may not look at issues', async () => {
    const { id } = await answerOf(await post('/api/sessions', { agent: 'project.researcher' }))
    const turn = await answerOf(
      await post(`/api/sessions/${id}/turns`, { input: 'Where is SaveOrder used?' }),
    )
    expect(turn).toMatchObject({ status: 'completed', steps: 2, tool_calls: 1, ended_by: 'answer' })
    expect(turn.message.content).toBe('Found: internal/api/orders.go:63: err = storage.SaveOrder(ctx, order)')
  })
})
