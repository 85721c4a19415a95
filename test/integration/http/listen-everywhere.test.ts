import { expect, it } from 'vitest'
import { listenEverywhere } from '../../../src/http/listening/listen-everywhere.js'
import { openRawClient } from '../../support/raw-client.js'
import { startTestApp } from '../../support/test-app.js'

/** The last one is nobody's. */
const ADDRESSES = ['127.0.0.1', '127.0.0.2', '192.0.2.1']
const addressesOf = async () => ADDRESSES
const EVENTS = 'GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n'

it('listens on every address of localhost that the machine has, and drains all of them', async () => {
  const { app, close } = await startTestApp({})
  await listenEverywhere(app.server, { host: 'localhost', port: 0, addressesOf })
  const bound = app.server.server.address()
  const port = typeof bound === 'object' ? bound?.port : undefined
  const urls = ['127.0.0.1', '127.0.0.2'].map((address) => `http://${address}:${port}`)
  for (const url of urls) expect((await fetch(`${url}/healthz`)).status).toBe(200)
  const clients = await Promise.all(urls.map((url) => openRawClient(url, EVENTS)))
  for (const client of clients) await client.sees('event: hello')
  await close()
  for (const client of clients) await client.closed()
  await expect(fetch(`${urls[1]}/healthz`)).rejects.toThrow()
})

it('says when somebody else has one of them', async () => {
  const [one, other] = [await startTestApp({}), await startTestApp({})]
  await listenEverywhere(one.app.server, { host: '127.0.0.2', port: 0 })
  const bound = one.app.server.server.address()
  const port = (typeof bound === 'object' ? bound?.port : undefined) ?? 0
  const listening = listenEverywhere(other.app.server, { host: 'localhost', port, addressesOf })
  await expect(listening).rejects.toThrow('EADDRINUSE')
  await other.close()
  await one.close()
})

it('listens on an address of IPv6, and counts a caller there by its network', async () => {
  const { app, close } = await startTestApp({}, { RATE_LIMIT: '2/h' })
  await listenEverywhere(app.server, { host: '::1', port: 0 })
  const bound = app.server.server.address()
  const port = typeof bound === 'object' ? bound?.port : undefined
  const ask = async (path: string) => (await fetch(`http://[::1]:${port}${path}`)).status
  const statuses = []
  for (let count = 0; count < 3; count += 1) statuses.push(await ask('/api/prompts'))
  expect(statuses).toEqual([200, 200, 429])
  expect(await ask('/healthz')).toBe(200)
  await close()
})
