import { connect, type Socket } from 'node:net'

/** A client of a chat on a bare socket, which can vanish without a goodbye. */
export function openChat(url: string, body: object): Promise<Socket> {
  const text = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x' }], ...body })
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => {
      socket.write(
        `POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
      )
      resolve(socket)
    })
    socket.on('error', reject)
  })
}

/** Resolves when the server has sent something. */
export const firstBytes = (socket: Socket) => new Promise((resolve) => socket.once('data', resolve))
