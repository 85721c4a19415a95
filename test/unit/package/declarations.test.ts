import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../../..')

describe('the declarations of the package', () => {
  it('declare of a module what is named, and of what nobody can name nothing', () => {
    const read = (file: string) => readFileSync(join(root, 'dist', file), 'utf8')
    const shell = read('open-shell.d.ts')
    expect(shell).toContain('export interface Shell ')
    expect(shell).toContain('/** Everything below HTTP')
    expect(shell).not.toContain('openShell')
    // What is reached, and handed on by none, says no more than its types.
    expect(read('state/lease-observer.d.ts')).toMatch(/^export interface LeaseObserver \{$/m)
    expect(read('state/lease-observer.d.ts')).not.toContain('/*')
    // Programs may bring a store of their own: they read what it has to do.
    expect(read('state/state-store.d.ts')).toContain('/** Makes a record.')
    const files = readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' })
    const declared = files.filter((file) => file.endsWith('.d.ts') && !file.startsWith('.'))
    expect(declared).toContain('client/service-types.d.ts')
    expect(declared).not.toContain('registry/catalog.d.ts')
  })
})
