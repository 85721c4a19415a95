import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type App, buildApp } from '../../../src/app.js'
import { loadConfig } from '../../../src/config.js'
import { createKeysFile } from '../../support/keys-file.js'

const page = readFileSync(resolve(import.meta.dirname, '../../../docs/guides/operating.md'), 'utf8')
let app: App
const keys = createKeysFile([])

beforeAll(async () => {
  app = await buildApp(loadConfig({ environment: { LOG_LEVEL: 'silent', KEYS_FILE: keys.path } }))
})
afterAll(async () => {
  await app.close()
  keys.dispose()
})

describe('the page for operators', () => {
  it('names every metric of ours, and no other', async () => {
    const { body } = await app.server.inject('/metrics')
    const names = [...body.matchAll(/^# HELP (\S+)/gm)].map((match) => match[1] ?? '')
    const ours = names.filter((name) => !/^(process|nodejs)_/.test(name))
    const rows = page.split('\n').filter((line) => line.startsWith('| `'))
    const told = rows.flatMap((row) =>
      [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name),
    )
    expect([...told].sort()).toEqual([...ours].sort())
  })
})
