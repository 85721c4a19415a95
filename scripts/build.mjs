// Builds all: the scripts for Redis are written into the source, then the compiler makes dist/, and beside it the bundle and
// the page are made of the same sources; when it is done, its declarations are tidied. Arguments are the compiler's:
// `npm test` checks no types, with `--noCheck`.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const compiler = resolve(root, 'node_modules/typescript/bin/tsc')
const options = ['-p', 'tsconfig.build.json', ...process.argv.slice(2)]
await import('./write-lua.mjs')
const compiling = once(
  spawn(process.execPath, [compiler, ...options], { cwd: root, stdio: 'inherit' }),
  'exit',
)
await Promise.all([import('./bundle.mjs'), import('./build-page.mjs')])
const [code] = await compiling
if (code === 0) await import('./tidy-output.mjs')
process.exitCode = code ?? 1
