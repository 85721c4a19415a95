import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { endTogether, writeTogether } from '../../../src/http/answers/answers-together.js'

/** What reaches the connections, each write an item. */
let written: string[] = []
beforeEach(async () => {
  await turn()
  // One answer alone: the next turn finds a quiet service.
  answer('before')
  await turn()
  written = []
})

describe('answers of one turn', () => {
  it('are written at once, head and body in one piece, while turns bring one each', async () => {
    for (const name of ['first', 'second', 'third']) {
      answer(name)
      expect(written.splice(0)).toEqual([
        expect.stringMatching(`^HTTP/1.1 200 OK\r\n[\\s\\S]*\r\n\r\n${name}$`),
      ])
      await turn()
    }
  })

  it('wait for the end of the turn once turns bring several', async () => {
    answer('a')
    answer('b')
    expect(bodies()).toEqual(['a'])
    await turn()
    expect(bodies()).toEqual(['a', 'b'])
    answer('c')
    expect(bodies()).toEqual(['a', 'b'])
    writeTogether()
    expect(bodies()).toEqual(['a', 'b', 'c'])
    await turn()
    answer('d')
    expect(bodies()).toEqual(['a', 'b', 'c', 'd'])
  })

  it('do not wait for more than 32', async () => {
    const names = Array.from({ length: 40 }, (_, index) => String(index))
    for (const name of names) answer(name)
    expect(bodies()).toEqual(names.slice(0, 33))
    await turn()
    expect(bodies()).toEqual(names)
  })

  it.each([
    { what: 'keeps no head', change: { _header: undefined } },
    { what: 'has somebody who looks at what is written', change: { write: () => true } },
    { what: 'says nothing of what is written', change: { _headerSent: undefined } },
  ])('are left to a Node that $what', async ({ change }) => {
    const response = begin('whole')
    const ended: unknown[] = []
    Object.assign(response, change, { end: (...given: readonly unknown[]) => ended.push(given) })
    endTogether(response, 'whole', 'latin1')
    expect(ended).toEqual([['whole', 'latin1']])
  })

  it('have no body where HEAD was asked', async () => {
    const response = begin('whole', 'HEAD')
    endTogether(response, 'whole', 'latin1')
    await turn()
    expect(written.join('')).toMatch(/\r\ncontent-length: 5\r\n[\s\S]*\r\n\r\n$/)
  })

  it('end their responses', async () => {
    const response = answer('whole')
    expect(response.writableEnded).toBe(true)
    await turn()
    expect(response.writableFinished).toBe(true)
  })
})

function answer(text: string): ServerResponse {
  const response = begin(text)
  endTogether(response, text, 'latin1')
  return response
}

/** A response whose head is made. */
function begin(text: string, method = 'POST'): ServerResponse {
  const request = new IncomingMessage(new Socket())
  Object.assign(request, { method, httpVersionMajor: 1, httpVersionMinor: 1 })
  const response = new ServerResponse(request)
  const connection = new Duplex({
    decodeStrings: false,
    read() {},
    write(chunk, _encoding, done) {
      written.push(String(chunk))
      done()
    },
    writev(chunks, done) {
      written.push(...chunks.map(({ chunk }) => String(chunk)))
      done()
    },
  })
  // A response takes any stream for its connection; its type asks for a socket.
  response.assignSocket(connection as Socket)
  response.writeHead(200, ['content-length', String(text.length)])
  return response
}

function bodies(): readonly string[] {
  return written.map((text) => text.slice(text.indexOf('\r\n\r\n') + 4))
}
