import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { type LaunchedService, launchService, startService } from '../support/service-process.js'
import { waitUntil } from '../support/wait-until.js'

const scratch = mkdtempSync(join(tmpdir(), 'ai-prompt-shell-signals-'))
afterAll(() => rmSync(scratch, { recursive: true }))

const MARK = 'listening for SIGTERM'
/** Says when the process begins to listen for signals, which nothing else shows. */
const preload = join(scratch, 'preload.cjs')
writeFileSync(
  preload,
  `const on = process.on
process.on = (name, ...rest) => {
  on.call(process, name, ...rest)
  if (name === 'SIGTERM') queueMicrotask(() => require('node:fs').writeSync(2, '${MARK}'))
  return process
}
`,
)

function says(service: LaunchedService, text: string): Promise<void> {
  let said = ''
  service.child.stderr?.on('data', (chunk: string) => {
    said += chunk
  })
  return waitUntil(() => said.includes(text), text)
}

describe('a signal during the start', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('%s ends with 0 before anything is loaded', async (signal) => {
    const service = await launchService({ NODE_OPTIONS: `--require=${preload}` })
    await says(service, MARK)
    expect(await service.stop(signal)).toEqual({ code: 0, stdout: '', stderr: MARK })
  })

  it('ends with 0 while the catalog is awaited', async () => {
    let asked = 0
    const mute = createServer((socket) => {
      asked += 1
      socket.on('error', () => {})
    })
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve))
    const address = mute.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const service = await launchService({ REDIS_URL: `redis://127.0.0.1:${port}`, LOG_LEVEL: 'fatal' })
    await waitUntil(() => asked > 0, 'the connection')
    expect(await service.stop()).toEqual({ code: 0, stdout: '', stderr: '' })
    mute.close()
  })
})

describe('a log that cannot be written', () => {
  const render = (url: string, requestId: string) =>
    fetch(`${url}/api/render`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-request-id': requestId },
      body: '{"prompt":{"userPrompt":"hello"}}',
    }).then(async (response) => [response.status, await response.text()] as const)

  it('does not matter: a full disk', async () => {
    const full = openSync('/dev/full', 'w')
    const service = await startService({ LOG_LEVEL: 'info' }, full)
    closeSync(full)
    for (let round = 0; round < 5; round += 1)
      expect((await render(service.url, `full-${round}`))[0]).toBe(200)
    expect(await service.stop()).toMatchObject({ code: 0, stderr: '' })
  })

  it('does not matter: a pipe that nobody reads', async () => {
    const service = await startService({ LOG_LEVEL: 'info' }, 'unread')
    // A socket's buffer is some 200 KB; a line is more than its request id.
    const statuses = new Set<number>()
    for (let round = 0; round < 56; round += 1) {
      const answers = await Promise.all(
        Array.from({ length: 25 }, (_, index) => render(service.url, `${'x'.repeat(110)}-${round}-${index}`)),
      )
      for (const [status] of answers) statuses.add(status)
    }
    expect([...statuses]).toEqual([200])
    expect((await service.stop()).code).toBe(0)
  })
})
