import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { functionsDocument } from '../../../../src/template/library/functions-document.js'

it('docs/functions.md is what npm run docs:functions writes', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../../docs/functions.md'), 'utf8')
  expect(text).toBe(functionsDocument())
})
