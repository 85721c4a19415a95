import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const {
  exports: exported,
}: { readonly exports: Readonly<Record<string, { readonly types?: string } | string>> } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
)
const entries = Object.values(exported).flatMap((entry) =>
  typeof entry === 'string' || entry.types === undefined ? [] : [entry.types],
)

describe('the declarations of the package', () => {
  it('are whole, read as strictly as can be', () => {
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess']
    // Without those of a browser: what needs them is nothing for a program of Node.
    const modules = ['--module', 'nodenext', '--target', 'es2023', '--lib', 'es2023', '--types', 'node']
    const options = ['--ignoreConfig', '--noEmit', '--singleThreaded', ...strict, ...modules]
    const { stdout } = spawnSync(process.execPath, [tsc, ...options, ...entries], { cwd: root })
    expect(entries.length).toBeGreaterThan(5)
    expect(String(stdout)).toBe('')
  })
})
