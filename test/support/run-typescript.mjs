// `node test/support/run-typescript.mjs [--built] test/some/run.ts …`: loads a TypeScript module as the tests are loaded,
// and calls its `main` with the rest of the arguments. What it answers is the exit code. With `--built` what it imports of
// the source is what the compiler made of it in `dist`.
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createViteServer } from 'vitest/node'

const root = resolve(import.meta.dirname, '../..')
const SOURCE = /^(?:\.\.\/)+src\/(.+)\.js$/

const built = {
  name: 'built',
  enforce: 'pre',
  resolveId(id) {
    const [, path] = SOURCE.exec(id) ?? []
    return path === undefined
      ? null
      : { id: pathToFileURL(resolve(root, `dist/${path}.js`)).href, external: true }
  },
}

const isBuilt = process.argv[2] === '--built'
const [path, ...args] = process.argv.slice(isBuilt ? 3 : 2)
const server = await createViteServer({
  configFile: false,
  root,
  appType: 'custom',
  logLevel: 'error',
  plugins: isBuilt ? [built] : [],
  server: { middlewareMode: true, hmr: false, watch: null, ws: false },
  optimizeDeps: { noDiscovery: true },
})
const { main } = await server.ssrLoadModule(resolve(path))
const code = await main(args)
await server.close()
process.exit(code)
