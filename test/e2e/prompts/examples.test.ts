import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../../..')
const folder = join(root, 'examples/prompts')
const programs = readdirSync(folder).filter((name) => name.endsWith('.mjs'))

/** Programs import the package by its own name, so they see what users see. */
describe('the examples of prompt composition', () => {
  it.each(programs)('%s says what it shows and runs offline', async (name) => {
    const source = readFileSync(join(folder, name), 'utf8')
    expect(source).toMatch(/^\/\/ Shows: \S/)
    expect(source).toContain("from 'ai-prompt-shell/prompt'")
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [join(folder, name)])
    expect(stderr).toBe('')
    const golden = join(folder, `${name.replace(/\.mjs$/, '')}.out`)
    expect(existsSync(golden), `${golden} holds what the program prints`).toBe(true)
    expect(stdout).toBe(readFileSync(golden, 'utf8'))
  })

  it('has one for every part', () => {
    expect(programs).toEqual(['composition.mjs', 'quick-start.mjs', 'registry.mjs', 'validation.mjs'])
  })
})
