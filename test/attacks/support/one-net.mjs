// Serves what was built, held by one of two nets alone: `ONE_NET` is `stop` or `charges`. No setting of the service does that.
const dist = new URL('../../../dist/', import.meta.url)
const [{ buildApp }, { loadConfig }, { UNCHARGED }, { unguarded }] = await Promise.all(
  ['app.js', 'config.js', 'template/run/uncharged.js', 'util/slices/slice.js'].map(
    (path) => import(new URL(path, dist)),
  ),
)
const { ONE_NET, ...environment } = process.env
const overrides = { stop: { renderOptions: { [UNCHARGED]: true } }, charges: { guard: unguarded } }[ONE_NET]
if (overrides === undefined) throw new Error(`there is no net ${ONE_NET}`)

/** Longer than any refusal of what was stopped: each attack meets the net, not the memory of the one before. */
const LATER_MS = 3_600_000
let aheadMs = 0
const { now } = Date
Date.now = () => now() + aheadMs

const config = loadConfig({ environment })
const { server, close } = await buildApp(config, overrides)
server.server.prependListener('request', () => {
  aheadMs += LATER_MS
})
process.once('SIGTERM', () => close().then(() => process.exit(0)))
await server.listen({ host: '127.0.0.1', port: config.port })
