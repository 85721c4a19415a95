import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { functionsDocument } from '../../../../src/template/functions-document.js'

// Loading the tokenizer and compiling every example take long where many tests run at once.
vi.setConfig({ testTimeout: 60_000 })

it('docs/reference/functions.md is what npm run docs:functions writes', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../../docs/reference/functions.md'), 'utf8')
  expect(text).toBe(functionsDocument())
})
