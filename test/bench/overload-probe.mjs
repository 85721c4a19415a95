// Asks `/healthz` of a service every 5 ms until its parent says stop, then tells it how long the answers took, in milliseconds.
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'undici'

const client = new Client(process.argv[2])
const times = []
let isOver = false
process.once('message', () => {
  isOver = true
})
while (!isOver) {
  const startedAt = performance.now()
  const { body } = await client.request({ path: '/healthz', method: 'GET' })
  await body.dump()
  times.push(performance.now() - startedAt)
  await sleep(5)
}
await client.close()
process.send(times, () => process.disconnect())
