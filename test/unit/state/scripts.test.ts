import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SCRIPTS } from '../../../src/state/redis-scripts.js'

const root = resolve(import.meta.dirname, '../../..')
const folder = join(root, 'src/state/lua')
const scripts = readdirSync(folder).map((file) => ({ file, text: readFileSync(join(folder, file), 'utf8') }))

describe('scripts for Redis', () => {
  it('are in the service as the files in src/state/lua say', async () => {
    const { writeScripts } = await import(join(root, 'scripts/write-lua.mjs'))
    expect(readFileSync(join(root, 'src/state/redis-scripts.ts'), 'utf8'), 'run `npm run build`').toBe(
      writeScripts(),
    )
    expect(Object.keys(SCRIPTS)).toHaveLength(scripts.filter(({ text }) => text.includes('--- @keys')).length)
  })

  it.each(scripts)('$file says in its first lines what it takes and gives', ({ text }) => {
    const [header = ''] = text.split('\n\n', 1)
    expect(header.split('\n').every((line) => line.startsWith('--'))).toBe(true)
    expect(header).toMatch(/^-- Input\n(?:-- {3}.+\n)+-- (?:Output|Gives)\n-- {3}/m)
    // What it reads of its first argument is named there, or in what it includes.
    const headers = [text, ...includedBy(text)].map((each) => each.split('\n\n', 1)[0])
    const read = [...text.slice(header.length).matchAll(/\ba\.(\w+)/g)].map(([name]) => name)
    expect(read.filter((name) => !headers.some((each) => new RegExp(`${name}\\b`).test(each ?? '')))).toEqual(
      [],
    )
  })
})

function includedBy(text: string): readonly string[] {
  const name = /^--- @include (\w+)$/m.exec(text)?.[1]
  const found = scripts.find(({ file }) => file === `${name}.lua`)
  return found === undefined ? [] : [found.text, ...includedBy(found.text)]
}
