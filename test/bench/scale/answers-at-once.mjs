// A server that does nothing: what the client and the machine themselves add to a time. Says its port to its parent.
import { createServer } from 'node:http'

const ANSWER = Buffer.alloc(2_048, 'a')

const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => response.end(ANSWER))
})
// Connections that are not needed at once stay open, too.
server.keepAliveTimeout = 0
server.listen(0, '127.0.0.1', () => process.send(server.address().port))
process.once('disconnect', () => process.exit())
