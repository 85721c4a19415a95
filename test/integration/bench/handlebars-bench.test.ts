import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const BENCH = join(import.meta.dirname, '../../bench/handlebars.mjs')

it('the Handlebars benchmark compares engines that print the same text', () => {
  const output = execFileSync(process.execPath, [BENCH, '--verify'], { encoding: 'utf8' })
  expect(output).toContain('6 prompts, the same text')
})
