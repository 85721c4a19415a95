import { closeSync, openSync } from 'node:fs'
import { launchService } from '../../support/launch-service.js'
import { openRawClient } from '../../support/raw-client.js'
import { waitUntil } from '../../support/wait-until.js'
import type { SignalRow } from '../tables/signals.js'

/** A pipe's buffer is some 200 KB; each request is a line of more than a hundred bytes in the log. */
const REQUESTS = 2_000
/** More at once would end the connection. */
const TOGETHER = 100

/** Launches the service, brings it to where the signal comes, and tells how it ended; undefined for well. */
export async function mistakeOfEnd({ signal, when, stdout }: SignalRow): Promise<string | undefined> {
  const full = stdout === 'full' ? openSync('/dev/full', 'w') : undefined
  const service = await launchService(
    { LOG_LEVEL: 'info', WARM_UP: 'true' },
    full ?? (stdout === 'unread' ? 'unread' : 'read'),
  )
  if (full !== undefined) closeSync(full)
  if (when !== 'launched') await service.ready
  const missing = when === 'rendering' ? await ask(service.url) : undefined
  const { code, stderr } = await service.stop(signal)
  return missing ?? (code === 0 && stderr === '' ? undefined : `ended with ${code}: ${stderr}`)
}

/** Requests on one connection, some at once. */
async function ask(url: string): Promise<string | undefined> {
  const one = `GET /healthz HTTP/1.1\r\nHost: localhost\r\nx-request-id: ${'x'.repeat(110)}\r\n\r\n`
  const last = 'GET /openapi.json HTTP/1.1\r\nHost: localhost\r\nconnection: close\r\n\r\n'
  const client = await openRawClient(url, '')
  const answered = () => client.received.split('HTTP/1.1 200 OK').length - 1
  for (let sent = 0; sent < REQUESTS; sent += TOGETHER) {
    client.socket.write(one.repeat(TOGETHER))
    await waitUntil(() => answered() >= sent + TOGETHER || client.isClosed, 'the answers')
  }
  client.socket.write(last)
  await client.closed()
  const answers = answered()
  return answers === REQUESTS + 1 ? undefined : `${answers} answers to ${REQUESTS + 1} requests`
}
