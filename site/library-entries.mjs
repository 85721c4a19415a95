import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

const manifest = resolve(import.meta.dirname, '../package.json')

/** The name that programs import, the page, and the source of each entry. */
export const ENTRIES = Object.entries(JSON.parse(readFileSync(manifest, 'utf8')).exports).flatMap(
  ([path, { types }]) => {
    if (types === undefined) return []
    const source = types.replace(/^\.\/dist\/(.*)\.d\.ts$/, 'src/$1.ts')
    const page = path === '.' ? 'main' : path.slice('./'.length)
    return [{ name: `ai-prompt-shell${path.slice(1)}`, page, source }]
  },
)
