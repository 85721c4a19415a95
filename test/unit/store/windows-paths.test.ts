import { win32 } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isLocation, isUrl } from '../../../src/cli/location.js'
import { placeInCatalog } from '../../../src/registry/place-in-catalog.js'
import { addressOf } from '../../../src/store/catalog-files.js'
import { shortPath } from '../../../src/util/text/short-path.js'

describe('on Windows', () => {
  it.each([
    ['C:\\prompts', 'C:\\prompts\\templates\\a\\b.yaml', { kind: 'templates', path: ['a', 'b'] }],
    ['C:\\prompts\\', 'C:\\prompts\\environs\\x.json', { kind: 'environs', path: ['x'] }],
    ['C:\\prompts', 'D:\\prompts\\templates\\b.yaml', undefined],
    ['C:\\prompts', 'C:\\prompts\\notes\\b.yaml', undefined],
  ])('%s has the document of %s', (root, file, address) => {
    expect(addressOf(root, file, win32)).toEqual(address)
  })

  it('a path with backslashes or a drive names a folder, not a command and not a URL', () => {
    for (const word of ['.\\my-prompts', 'C:\\my-prompts', 'C:/my-prompts']) {
      expect(isLocation(word)).toBe(true)
      expect(isUrl(word)).toBe(false)
    }
  })

  it('places are shown relative to where the process runs, and to clients below the catalog', () => {
    const here = {
      isAbsolute: win32.isAbsolute,
      relative: (_from: string, to: string) => win32.relative('C:\\x', to),
    }
    expect(shortPath('C:\\x\\templates\\a.yaml', here)).toBe('templates\\a.yaml')
    expect(shortPath('D:\\y\\a.yaml', here)).toBe('D:\\y\\a.yaml')
    expect(placeInCatalog({ kind: 'templates', location: 'C:\\x\\templates\\a\\b.yaml' })).toBe(
      'templates/a/b.yaml',
    )
  })
})
