import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createParser } from 'eventsource-parser'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { App } from '../../../src/app.js'
import { runCli } from '../../../src/cli/cli.js'
import { buildTestApp } from '../../support/build-test-app.js'
import { release, version } from '../../support/lives.js'
import { waitUntil } from '../../support/wait-until.js'

let directory: string
let app: App
let url: string

function write(path: string, value: unknown): void {
  writeFileSync(join(directory, path), JSON.stringify(value))
}

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'aps-events-'))
  for (const kind of ['environs', 'templates']) mkdirSync(join(directory, kind))
  write('environs/a.json', 1)
  app = await buildTestApp({ CATALOG_DIR: directory })
  await app.server.listen({ host: '127.0.0.1', port: 0 })
  url = `http://127.0.0.1:${(app.server.server.address() as AddressInfo).port}`
})

afterEach(async () => {
  await app.close()
  rmSync(directory, { recursive: true, force: true })
})

interface Reader {
  readonly events: { readonly id: string; readonly name: string; readonly data: Record<string, unknown> }[]
  readonly ended: Promise<void>
  stop(): void
}

async function follow(path = '/api/events', lastEventId?: string): Promise<Reader> {
  const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
  const request = get(url + path, { headers, agent: false })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  expect(response.statusCode).toBe(200)
  expect(response.headers['content-type']).toMatch(/^text\/event-stream/)
  const events: Reader['events'] = []
  const parser = createParser({
    onEvent: ({ id = '', event = '', data }) => void events.push({ id, name: event, data: JSON.parse(data) }),
  })
  response.setEncoding('utf8').on('data', (text: string) => parser.feed(text))
  response.on('error', () => {})
  const ended = new Promise<void>((resolve) => response.on('close', resolve))
  return { events, ended, stop: () => void request.destroy() }
}

describe('GET /api/events', () => {
  it('tells what changes, as it changes', async () => {
    const reader = await follow()
    await waitUntil(() => reader.events.length === 1, 'hello')
    expect(reader.events[0]).toMatchObject({
      name: 'hello',
      data: { revision: app.registry.current.revision },
    })
    write('environs/a.json', 2)
    write('templates/hello.json', { userPrompt: 'x' })
    await waitUntil(() => reader.events.length === 3, 'two changes')
    const changes = reader.events.slice(1).map(({ data }) => data)
    expect(changes).toContainEqual({
      type: 'change',
      kind: 'environ',
      id: 'a',
      revision: app.registry.current.environs.get('a')?.revision,
      change: 'changed',
    })
    expect(changes).toContainEqual(expect.objectContaining({ kind: 'prompt', id: 'hello', change: 'added' }))
    reader.stop()
  })

  it('names moves of labels by an event of their own, which readers of changes pass over', async () => {
    const one = version('hello', 1, { userPrompt: 'x' })
    for (const kind of ['releases', 'releases/hello']) mkdirSync(join(directory, kind))
    write('templates/hello@1.json', one.document)
    const all = await follow()
    const labels = await follow('/api/events?kind=release')
    await waitUntil(() => all.events.length + labels.events.length === 2, 'hello')
    write('releases/hello/production.json', release(one))
    await waitUntil(() => labels.events.length === 2, 'the move')
    expect(labels.events[1]).toMatchObject({
      name: 'release',
      data: { kind: 'release', id: 'hello@production', change: 'added' },
    })
    await waitUntil(() => all.events.some(({ name }) => name === 'release'), 'the move')
    expect(all.events.filter(({ name }) => name === 'change')).toEqual([])
    for (const reader of [all, labels]) reader.stop()
    const lines: string[] = []
    const notes: string[] = []
    const context = {
      environment: {},
      stdout: (text: string) => void lines.push(text),
      stderr: (text: string) => void notes.push(text),
    }
    const watching = [url, directory].map((from) => runCli(['watch', from, '--limit', '1'], context))
    await waitUntil(() => notes.length === 2, 'both to watch')
    write('releases/hello/production.json', release(one, { sequence: 2 }))
    expect(await Promise.all(watching)).toEqual([0, 0])
    expect(lines).toHaveLength(2)
    for (const line of lines) expect(line).toMatch(/^changed release {3}hello@production [0-9a-f]+\n$/)
  })

  it('tells which documents break and are mended, in the same sequence and without a revision', async () => {
    write('templates/hello.json', { userPrompt: 'x' })
    await waitUntil(() => app.registry.current.prompts.has('hello'), 'the prompt')
    const reader = await follow()
    await waitUntil(() => reader.events.length === 1, 'hello')
    const watched: string[] = []
    const notes: string[] = []
    const context = {
      environment: {},
      stdout: (text: string) => void watched.push(text),
      stderr: (text: string) => void notes.push(text),
    }
    const watching = runCli(['watch', url, '--limit', '2'], context)
    await waitUntil(() => notes.length > 0, 'the connection')
    write('templates/hello.json', { userPrompt: 'a {{end}}' })
    await waitUntil(() => reader.events.length === 2, 'broken')
    write('templates/hello.json', { userPrompt: 'x' })
    await waitUntil(() => reader.events.length === 3, 'mended')
    const [hello, broken, mended] = reader.events
    expect([broken, mended]).toMatchObject([
      {
        name: 'broken',
        data: {
          ...{ kind: 'prompt', id: 'hello', change: 'broken', line: 1 },
          ...{ serving_last_good: true, servingLastGood: true },
        },
      },
      { name: 'mended', data: { kind: 'prompt', id: 'hello', change: 'mended' } },
    ])
    expect(broken?.data).not.toHaveProperty('revision')
    expect(JSON.stringify(broken)).not.toContain(directory)
    const numbers = [hello, broken, mended].map((event) => Number(event?.id.split('-')[1]))
    expect(numbers.map((number) => number - (numbers[0] ?? 0))).toEqual([0, 1, 2])
    expect(await watching).toBe(0)
    expect(watched.join('')).toMatch(
      /^broken {2}prompt {4}hello 1:\d+ template: hello:1: unexpected {{end}}\nmended {2}prompt {4}hello\n$/,
    )
    reader.stop()
  })

  it('goes on after Last-Event-ID, and says when it cannot', async () => {
    const first = await follow()
    await waitUntil(() => first.events.length === 1, 'hello')
    first.stop()
    write('environs/b.json', 1)
    await waitUntil(() => app.registry.current.environs.has('b'), 'the change')
    const again = await follow('/api/events', first.events[0]?.id)
    await waitUntil(() => again.events.length === 1, 'what was missed')
    expect(again.events[0]).toMatchObject({ name: 'change', data: { id: 'b', change: 'added' } })
    again.stop()
    const stranger = await follow('/api/events', 'ffffffff-1')
    await waitUntil(() => stranger.events.length === 1, 'the reset')
    expect(stranger.events[0]?.name).toBe('reset')
    stranger.stop()
  })

  it('tells changes of one kind only when asked to', async () => {
    const reader = await follow('/api/events?kind=prompt')
    write('environs/b.json', 1)
    await waitUntil(() => app.registry.current.environs.has('b'), 'the environ')
    write('templates/b.json', { userPrompt: 'x' })
    await waitUntil(() => reader.events.length === 2, 'the prompt')
    expect(reader.events[1]?.data).toMatchObject({ kind: 'prompt', id: 'b' })
    reader.stop()
    expect((await app.server.inject('/api/events?kind=nonsense')).statusCode).toBe(400)
  })

  it('ends when the service closes', async () => {
    const reader = await follow()
    await app.close()
    await reader.ended
    expect(reader.events[0]?.name).toBe('hello')
  })

  it('is what the watch command prints', async () => {
    const lines: string[] = []
    const notes: string[] = []
    const context = {
      environment: {},
      stdout: (text: string) => void lines.push(text),
      stderr: (text: string) => void notes.push(text),
    }
    const watching = runCli(['watch', '--url', url, '--limit', '1'], context)
    await waitUntil(() => notes.length > 0, 'the connection')
    write('environs/new.json', 1)
    expect(await watching).toBe(0)
    expect(lines.join('')).toMatch(/^added {3}environ {3}new [0-9a-f]+\n$/)
    const direct = runCli(['watch', directory, '--limit', '1', '--json'], context)
    await waitUntil(() => notes.length > 1, 'the directory')
    rmSync(join(directory, 'environs/new.json'))
    expect(await direct).toBe(0)
    expect(JSON.parse(lines.at(-1) ?? '')).toEqual({
      kind: 'environ',
      id: 'new',
      revision: null,
      change: 'removed',
    })
  })

  it('says plainly what is wrong with a watch command', async () => {
    const notes: string[] = []
    const context = { environment: {}, stdout: () => {}, stderr: (text: string) => void notes.push(text) }
    expect(await runCli(['watch', 'http://127.0.0.1:1'], context)).toBe(1)
    expect(notes.join('')).toMatch(/cannot reach http:\/\/127\.0\.0\.1:1/)
    expect(await runCli(['watch', '--limit', 'x'], context)).toBe(2)
  })
})
