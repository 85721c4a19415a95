import { resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadConfig } from '../../src/config.js'
import { openShell, type Shell } from '../../src/open-shell.js'
import { readTestFile } from '../../src/proof/files/read-test-file.js'
import { findTestFiles } from '../../src/proof/find-test-files.js'
import { mutate } from '../../src/proof/mutate.js'
import { unguarded } from '../../src/util/slices/slice.js'
import { silentLogger } from '../../src/util/telemetry/logger.js'

const directory = resolve(import.meta.dirname, '../../examples/catalog')
let shell: Shell
beforeAll(async () => {
  const config = loadConfig({ environment: { CATALOG_DIR: directory } })
  shell = await openShell(config, { logger: silentLogger(), guard: unguarded })
  await shell.registry.whenReady()
})
afterAll(() => shell.close())

it('notices every mutant of the example catalog, and four of five without snapshots', async () => {
  const files = findTestFiles([directory]).map(readTestFile)
  const dependencies = { registry: shell.registry, renderer: shell.renderer, now: () => performance.now() }
  const all = await mutate(files, dependencies)
  expect(all.survivors).toEqual([])
  expect(all.untested).toEqual([])
  expect(all.mutants).toBeGreaterThan(150)
  const { mutants, survivors } = await mutate(files, dependencies, { withoutSnapshots: true })
  console.info(`without snapshots: ${mutants - survivors.length} of ${mutants} mutants noticed`)
  expect(survivors.length / mutants).toBeLessThanOrEqual(0.2)
})
