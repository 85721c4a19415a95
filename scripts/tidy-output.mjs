// Puts the declarations that a program can reach from the package's exports into a few files, and removes all others: what
// nobody can import needs no types. Code whose source is gone goes, too. Part of `npm run build`.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { bundleDeclarations } from './bundle-declarations.mjs'

const dist = resolve(import.meta.dirname, '../dist')
const { exports } = JSON.parse(readFileSync(resolve(dist, '../package.json'), 'utf8'))
const entries = Object.entries(exports).flatMap(([path, { types }]) =>
  types === undefined
    ? []
    : [[types.replace('./dist/', ''), path === '.' ? 'main' : path.slice('./'.length)]],
)
const reachable = bundleDeclarations(join(dist, '.declarations'), new Map(entries))

for (const file of readdirSync(dist, { recursive: true })) if (isLeftOver(file)) rmSync(join(dist, file))
for (const [file, text] of reachable) write(join(dist, file), text)

/** What an earlier build wrote for a source that has been moved or deleted, and declarations that nobody reaches. */
function isLeftOver(file) {
  // The page and the bundle have builds of their own.
  if (['.declarations', 'ui', 'bundle'].includes(file.split('/')[0])) return false
  if (file.endsWith('.d.ts')) return !reachable.has(file)
  return file.endsWith('.js') && !existsSync(resolve(dist, '../src', file.replace(/\.js$/, '.ts')))
}

/** Writes what differs: other processes may be reading. */
function write(file, text) {
  if (textOf(file) === text) return
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

function textOf(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
