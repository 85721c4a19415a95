// `node test/support/run-typescript.mjs test/some/run.ts …`: loads a TypeScript module as the tests are loaded, and
// calls its `main` with the rest of the arguments. What it answers is the exit code.
import { resolve } from 'node:path'
import { createViteServer } from 'vitest/node'

const [path, ...args] = process.argv.slice(2)
const server = await createViteServer({
  configFile: false,
  root: resolve(import.meta.dirname, '../..'),
  appType: 'custom',
  logLevel: 'error',
  server: { middlewareMode: true, hmr: false, watch: null, ws: false },
  optimizeDeps: { noDiscovery: true },
})
const { main } = await server.ssrLoadModule(resolve(path))
const code = await main(args)
await server.close()
process.exit(code)
