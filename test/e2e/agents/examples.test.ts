import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const folder = resolve(import.meta.dirname, '../../../examples/agents')
const programs = readdirSync(folder).filter((name) => name.endsWith('.mjs'))
/** More than this is no example any more. */
const MAX_LINES = 200

/** Programs import the package by its own name, so they see what users see. */
describe('the examples of agents', () => {
  it.each(programs)('%s says what it shows and runs offline', async (name) => {
    const source = readFileSync(join(folder, name), 'utf8')
    expect(source).toMatch(/^\/\/ Shows: \S/)
    expect(source.split('\n').length).toBeLessThanOrEqual(MAX_LINES)
    const { LLM_BASE_URL: _url, LLM_MODEL: _model, LLM_API_KEY: _key, ...env } = process.env
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [join(folder, name)], { env })
    expect(stderr).toBe('')
    expect(stdout).toBe(readFileSync(join(folder, `${name.replace(/\.mjs$/, '')}.out`), 'utf8'))
  })
})
