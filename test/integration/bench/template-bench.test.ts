import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const BENCH = join(import.meta.dirname, '../../bench/template.mjs')

it('the template benchmark compares engines that print the same text', () => {
  const output = execFileSync(process.execPath, [BENCH, '--verify'], { encoding: 'utf8' })
  expect(output).toContain('for 6 prompts')
})
