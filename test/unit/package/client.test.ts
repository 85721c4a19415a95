import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { expect, it } from 'vitest'
import { pythonTypes } from '../../../scripts/python-types.js'
import { clientTypes, SHAPES } from '../../../scripts/write-client-types.js'
import { publishedApi } from '../../support/published-api.js'

const root = resolve(import.meta.dirname, '../../..')
const MAX_BYTES = 6_176
/** Without the names that stack traces show, as a program's own bundler makes it. */
const MAX_MINIFIED_BYTES = 6_144
const MAX_COMPRESSED_BYTES = 3_000

it('the client is small', async () => {
  const code = readFileSync(join(root, 'dist/bundle/client.js'), 'utf8')
  expect(code).not.toMatch(/\b(import|require|from)[\s(]*['"]/)
  expect(code.length).toBeLessThanOrEqual(MAX_BYTES)
  expect(gzipSync(code).length).toBeLessThanOrEqual(MAX_COMPRESSED_BYTES)
  const build = await rolldown({ input: join(root, 'dist/bundle/client.js') })
  const { output } = await build.generate({ minify: true })
  await build.close()
  expect(output[0].code.length).toBeLessThanOrEqual(MAX_MINIFIED_BYTES)
})

it('the types of the client are those of openapi.yaml', () => {
  const written = readFileSync(join(root, 'src/client/service-types.ts'), 'utf8')
  const bare = (text: string) => text.replace(/[\s|()]+/g, '')
  expect(bare(written)).toBe(bare(clientTypes(publishedApi())))
  const python = readFileSync(join(root, 'clients/python/ai_prompt_shell_types.pyi'), 'utf8')
  expect(python).toBe(pythonTypes(publishedApi(), SHAPES))
})
