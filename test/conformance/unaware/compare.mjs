// Clients that know no labels: node test/conformance/unaware/compare.mjs <directory of an older build> [--whole]
// Sends the same requests to an older build and to this one, whose catalog has a version of every prompt and agent and a
// label on each besides, and compares the answers but for headers, ids and times, and what a scripted upstream was sent.
// Differences that are meant are in `meant.mjs`, with the reason; any other one is printed, and the program exits with 1.

import { execFile, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { freePort } from '../../bench/free-port.mjs'
import { corpusOf } from './corpus.mjs'
import { differencesOf, steady } from './differences.mjs'
import { MEANT, withoutGone } from './meant.mjs'

const { positionals, values } = parseArgs({ allowPositionals: true, options: { whole: { type: 'boolean' } } })
const [older] = positionals
if (older === undefined) throw new Error('which build? Give the directory of an older one, built')

const here = resolve(import.meta.dirname, '../../..')
const folder = mkdtempSync(join(tmpdir(), 'unaware-'))
const kinds = ['prompts', 'agents', 'tools', 'environs', 'extensions']

/** An upstream that answers each request by its number of messages, and remembers what it was sent. */
async function startUpstream(port) {
  const sent = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const piece of request) text += piece
    sent.push(`${request.method} ${request.url} ${text}`)
    const { stream, messages = [] } = text === '' ? {} : JSON.parse(text)
    const content = `${messages.length} messages`
    const usage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 }
    const common = { id: 'chatcmpl-1', created: 1, model: 'scripted' }
    if (stream !== true) {
      const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }]
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ ...common, object: 'chat.completion', choices, usage }))
      return
    }
    response.setHeader('content-type', 'text/event-stream')
    const chunk = (delta, finish_reason = null) =>
      `data: ${JSON.stringify({ ...common, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`
    response.end(`${chunk({ role: 'assistant', content })}${chunk({}, 'stop')}data: [DONE]\n\n`)
  })
  await new Promise((done) => server.listen(port, '127.0.0.1', done))
  return { sent, close: () => server.close() }
}

/** A build over a catalog, before an upstream of its own. */
async function startService(build, catalog) {
  const [port, upstreamPort] = [await freePort(), await freePort()]
  const upstream = await startUpstream(upstreamPort)
  const service = spawn(process.execPath, [join(build, 'dist/main.js')], {
    env: {
      ...{ PATH: process.env.PATH, PORT: String(port), CATALOG_DIR: catalog, LOG_LEVEL: 'error' },
      ...{ LLM_BASE_URL: `http://127.0.0.1:${upstreamPort}/v1`, LLM_API_KEY: 'k', LLM_MODEL: 'scripted' },
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const ask = async ({ method, url, body, raw, headers }) => {
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const answer = await fetch(`http://127.0.0.1:${port}${url}`, {
      method,
      headers: { ...(payload && { 'content-type': 'application/json' }), 'x-request-id': 'same', ...headers },
      body: payload,
    })
    return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() }
  }
  for (let attempt = 0; ; attempt += 1) {
    const ready = await ask({ method: 'GET', url: '/readyz' }).catch(() => undefined)
    if (ready?.status === 200) break
    if (attempt > 300) throw new Error(`${build} is not ready`)
    await new Promise((done) => setTimeout(done, 100))
  }
  const close = () => {
    service.kill('SIGKILL')
    upstream.close()
  }
  return { ask, sent: upstream.sent, close }
}

/** The catalog of the older build, and the same one with a version and a label of everything that has them. */
async function makeCatalogs() {
  const plain = join(folder, 'plain', 'catalog')
  const labelled = join(folder, 'labelled', 'catalog')
  for (const catalog of [plain, labelled]) {
    mkdirSync(catalog, { recursive: true })
    cpSync(join(resolve(older), 'examples/catalog'), catalog, { recursive: true })
  }
  return { plain, labelled }
}

async function publishAll(catalog, { prompts, agents }) {
  const command = (...args) =>
    promisify(execFile)(process.execPath, [join(here, 'dist/main.js'), ...args, '--catalog', catalog], {
      env: { PATH: process.env.PATH },
    })
  const own = [...prompts].filter(([, { origin }]) => origin !== 'bundled').map(([id]) => id)
  for (const id of own) await command('publish', id, '--label', 'production', '-m', 'first')
  for (const id of agents) await command('publish', id, '--agent', '--label', 'production', '-m', 'first')
}

const listed = async (service, kind) => {
  const { text } = await service.ask({ method: 'GET', url: `/api/${kind}?limit=500` })
  return (JSON.parse(text).items ?? JSON.parse(text).data ?? JSON.parse(text)).map(({ id }) => id)
}

async function catalogOf(service) {
  const entries = await Promise.all(kinds.map(async (kind) => [kind, await listed(service, kind)]))
  const catalog = Object.fromEntries(entries)
  const details = await Promise.all(
    catalog.prompts.map(async (id) => [
      id,
      JSON.parse((await service.ask({ method: 'GET', url: `/api/prompts/${id}` })).text),
    ]),
  )
  return { ...catalog, prompts: new Map(details) }
}

const { plain, labelled } = await makeCatalogs()
const before = await startService(resolve(older), plain)
let now
try {
  const catalog = await catalogOf(before)
  await publishAll(labelled, catalog)
  now = await startService(here, labelled)
  const found = []
  const corpus = corpusOf(catalog)
  for (const request of corpus) {
    const [was, is] = [await before.ask(request), await now.ask(request)]
    const names = [
      [plain, '<catalog>'],
      [labelled, '<catalog>'],
    ]
    const [old, ours] = [withoutGone(request.url, steady(was, names)), steady(is, names)]
    const wire = { was: before.sent.splice(0), is: now.sent.splice(0) }
    for (const difference of differencesOf({ ...old, wire: wire.was }, { ...ours, wire: wire.is }))
      found.push({ request: `${request.method} ${request.url}`, body: request.body, ...difference })
  }
  report(corpus.length, found)
} finally {
  before.close()
  now?.close()
  rmSync(folder, { recursive: true })
}

function report(count, found) {
  const reasonOf = ({ request, at, was, is }) =>
    MEANT.find((each) => each.at.test(`${request} ${at}`) && (each.holds?.(was, is) ?? true))
  const byReason = grouped(found, reasonOf)
  const open = byReason.get(undefined) ?? []
  console.log(`${count} requests, ${found.length} differences, ${open.length} of them not meant`)
  for (const [reason, some] of byReason)
    if (reason !== undefined) console.log(`- ${some.length} ×: ${reason.why}`)
  for (const [place, some] of grouped(
    open,
    ({ request, at }) => `${request.replace(/[a-z]+\.[a-z_]+/, '{id}')} ${at}`,
  )) {
    const [{ was, is, request }] = some
    console.log(`\n${some.length} × ${place}\n  ${request}\n  was ${cut(was)}\n  is  ${cut(is)}`)
  }
  if (open.length > 0) process.exitCode = 1
}

function grouped(items, keyOf) {
  const groups = new Map()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}

function cut(value) {
  const text = value === undefined ? 'not there' : JSON.stringify(value)
  return text.length > 300 && !values.whole ? `${text.slice(0, 300)}…` : text
}
