import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../support/test-app.js'

const PATH = '/api/render/prompts/many.echo'
const documents = {
  'templates/many/echo.json': {
    userPrompt: '{{.variables.who}}: {{range until .variables.times}}é{{$.variables.who}} {{end}}',
  },
}

let service: TestApp
let port: number
beforeEach(async () => {
  // Many large answers at once take their time, and none is refused.
  service = await startTestApp(documents, { RENDER_TIMEOUT_MS: '30000', MAX_LOOP_DELAY_MS: '0' })
  await service.app.server.listen({ port: 0, host: '127.0.0.1' })
  port = (service.app.server.server.address() as AddressInfo).port
})
afterEach(() => service.close())

describe('answers that are written together', () => {
  it('come in order to a client that sends its requests without waiting', async () => {
    const client = await open()
    const names = Array.from({ length: 100 }, (_, index) => `name-${index}`)
    client.write(names.map((who) => request({ who, times: 3 })).join(''))
    expect(await answers(client, names.length)).toEqual(names.map((who) => rendered(who, 3)))
  })

  it('go each to its own client, also when readers are slow and answers large', async () => {
    const clients = await Promise.all(Array.from({ length: 40 }, open))
    const received = clients.map(async (client, index) => {
      const times = index % 2 === 0 ? 40_000 : 2
      const names = [`a${index}`, `b${index}`, `c${index}`]
      client.write(names.map((who) => request({ who, times })).join(''))
      // The kernel's buffers are full long before the large answers are out.
      if (index % 2 === 0) await sleep(150)
      expect(await answers(client, names.length)).toEqual(names.map((who) => rendered(who, times)))
    })
    await Promise.all(received)
  })

  it('bother nobody when their client has gone', async () => {
    const [stays, ...leave] = await Promise.all(Array.from({ length: 21 }, open))
    for (const client of leave) {
      client.write(request({ who: 'gone', times: 1 }))
      client.resetAndDestroy()
    }
    ;(stays as Socket).write(request({ who: 'here', times: 1 }))
    expect(await answers(stays as Socket, 1)).toEqual([rendered('here', 1)])
    const later = await open()
    later.write(request({ who: 'later', times: 1 }))
    expect(await answers(later, 1)).toEqual([rendered('later', 1)])
  })
})

function open(): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket.pause()))
    socket.once('error', reject)
  })
}

function request(variables: { readonly who: string; readonly times: number }): string {
  const body = JSON.stringify({ variables })
  return `POST ${PATH} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}

function rendered(who: string, times: number): string {
  return `${who}: ${`é${who} `.repeat(times)}`
}

/** Reads this many answers and gives their rendered prompts. */
async function answers(socket: Socket, count: number): Promise<readonly string[]> {
  const prompts: string[] = []
  let bytes = Buffer.alloc(0)
  for await (const chunk of socket) {
    bytes = Buffer.concat([bytes, chunk as Buffer])
    for (let answer = takeAnswer(bytes); answer !== undefined; answer = takeAnswer(bytes)) {
      prompts.push(JSON.parse(answer.body).rendered_prompt ?? answer.body)
      bytes = answer.rest
    }
    if (prompts.length === count) break
  }
  return prompts
}

function takeAnswer(
  bytes: Buffer,
): { readonly body: string; readonly rest: Buffer<ArrayBuffer> } | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  const length = /content-length: (\d+)/i.exec(bytes.toString('latin1', 0, end))?.[1]
  const bodyEnd = end + 4 + Number(length)
  if (end < 0 || bytes.length < bodyEnd) return undefined
  return { body: bytes.toString('utf8', end + 4, bodyEnd), rest: Buffer.from(bytes.subarray(bodyEnd)) }
}
