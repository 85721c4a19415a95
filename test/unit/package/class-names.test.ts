import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { inspect } from 'node:util'
import { expect, it } from 'vitest'

const bundle = resolve(import.meta.dirname, '../../../dist/bundle')

it('classes of the package have their own names, in stack traces too', async () => {
  const {
    compile,
    TemplateError,
  }: typeof import('../../../src/template/api.js') & typeof import('../../../src/template/index.js') =
    await import(join(bundle, 'template.js'))
  expect(TemplateError.name).toBe('TemplateError')
  const failure = await Promise.resolve()
    .then(() => compile('{{if .x}'))
    .catch((error: unknown) => error)
  expect(inspect(failure)).toMatch(/^TemplateError: template: t:1/)
  const renamed = readdirSync(bundle).filter((file) =>
    /class _/.test(readFileSync(join(bundle, file), 'utf8')),
  )
  expect(renamed).toEqual([])
})
