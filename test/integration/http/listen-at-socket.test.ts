import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, lstatSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { loadConfig } from '../../../src/config.js'
import { listenEverywhere } from '../../../src/http/listening/listen-everywhere.js'
import { runLocalTurn } from '../../support/run-cli.js'
import { startTestApp, type TestApp } from '../../support/test-app.js'

let directory: string
let path: string
const services: TestApp[] = []
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'aps-socket-'))
  path = join(directory, 'shell.sock')
})
afterEach(async () => {
  for (const service of services.splice(0)) await service.close()
  rmSync(directory, { recursive: true })
})

async function serve(): Promise<TestApp> {
  const service = await startTestApp({})
  services.push(service)
  await listenEverywhere(service.app.server, { host: `unix:${path}`, port: 8080 })
  return service
}

async function get(url: string): Promise<{ status: number | undefined; body: string }> {
  const asked = request({ socketPath: path, path: url }).end()
  const [response] = await once(asked, 'response')
  return { status: response.statusCode, body: await text(response) }
}

it('serves its user and group on a socket, and takes the file away at the end', async () => {
  await serve()
  expect((await get('/healthz')).status).toBe(200)
  expect(lstatSync(path).mode & 0o777).toBe(0o660)
  await services.pop()?.close()
  expect(existsSync(path)).toBe(false)
})

it('replaces a socket that a crash left behind', async () => {
  const program = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => console.log('up'))`
  const crashing = spawn(process.execPath, ['-e', program])
  await once(crashing.stdout, 'data')
  crashing.kill('SIGKILL')
  await once(crashing, 'exit')
  expect(lstatSync(path).isSocket()).toBe(true)
  await serve()
  expect((await get('/healthz')).status).toBe(200)
})

it('leaves a socket to whom listens there, and files alone', async () => {
  await serve()
  await expect(serve()).rejects.toThrow('EADDRINUSE')
  expect((await get('/healthz')).status).toBe(200)
  for (const service of services.splice(0)) await service.close()
  writeFileSync(path, 'mine')
  await expect(serve()).rejects.toThrow('EADDRINUSE')
  const outcome = await runLocalTurn(['serve'], { HOST: `unix:${path}`, LOG_LEVEL: 'fatal' })
  expect(outcome).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('already in use, or is not a socket'),
  })
  expect(readFileSync(path, 'utf8')).toBe('mine')
})

it.each([
  [{ HOST: 'unix:' }, 'HOST: "unix:" does not have the right form'],
  [{ HOST: 'unix:shell.sock' }, 'HOST: "unix:shell.sock" does not have the right form'],
  [{ HOST: 'unix:/run/s', ADMIN_PORT: '9000' }, 'ADMIN_PORT: HOST is a socket'],
])('%j is a mistake', (environment, problem) => {
  expect(() => loadConfig({ environment })).toThrow(problem)
})
