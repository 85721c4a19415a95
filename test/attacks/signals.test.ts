import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { freePort } from '../support/free-port.js'
import { type LaunchedService, launchService } from '../support/launch-service.js'
import { waitUntil } from '../support/wait-until.js'
import { mistakeOfEnd } from './support/signal-attack.js'
import { SIGNALS } from './tables/signals.js'

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

describe.concurrent('a signal during the start', { timeout: 60_000 }, () => {
  it('ends with 0 before anything is loaded', async () => {
    const service = await launchService({ NODE_OPTIONS: `--require=${preload}` })
    await says(service, MARK)
    expect(await service.stop()).toEqual({ code: 0, stdout: '', stderr: MARK })
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

describe.concurrent('a signal to a service that runs', { timeout: 60_000 }, () => {
  it.each(SIGNALS.filter(({ isSlow }) => isSlow !== true))('ends it with 0: $name', async (row) => {
    expect(await mistakeOfEnd(row)).toBeUndefined()
  })
})

describe.concurrent('npm start', { timeout: 60_000 }, () => {
  it('leaves no service behind when npm ends the shell it started', async () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      readonly scripts: Readonly<Record<string, string>>
    }
    const port = String(await freePort())
    const shell = spawn('sh', ['-c', scripts['start'] as string], {
      env: { PATH: process.env['PATH'], PORT: port, LOG_LEVEL: 'silent', npm_lifecycle_event: 'start' },
      stdio: 'ignore',
    })
    const exit = once(shell, 'exit')
    const isUp = () =>
      fetch(`http://127.0.0.1:${port}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      )
    await waitUntil(isUp, 'the start')
    shell.kill()
    await exit
    await waitUntil(async () => !(await isUp()), 'the end of the service')
  })
})
