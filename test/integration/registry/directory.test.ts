import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRegistry } from '../../../src/registry/create-registry.js'
import type { Registry } from '../../../src/registry/registry.js'
import { createDirectoryStore, type DirectoryStoreOptions } from '../../../src/store/directory-store.js'
import { waitUntil } from '../../support/wait-until.js'
import { createWatchedEngine } from '../../support/watched-engine.js'

let directory: string
let registry: Registry

const log = { info: () => {}, warn: () => {} }

function write(path: string, text: string): void {
  mkdirSync(dirname(join(directory, path)), { recursive: true })
  writeFileSync(join(directory, path), text)
}

async function open(options: DirectoryStoreOptions = {}): Promise<void> {
  const store = createDirectoryStore(directory, options)
  // Whatever is applied, the watcher found: nothing is compared within the hour.
  const withoutComparing = { resyncIntervalMs: 3_600_000 }
  registry = createRegistry({ store, engine: createWatchedEngine(), log, options: withoutComparing })
  await registry.whenReady()
}

const textOf = (id: string) => {
  const body = registry.current.prompts.get(id)?.definition.body
  return body?.kind === 'prompt' ? body.text : undefined
}

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'aps-catalog-'))
})

afterEach(async () => {
  await registry.close()
  rmSync(directory, { recursive: true, force: true })
})

describe('a catalog in a directory', () => {
  it('gives a file with decomposed letters the id that people type', async () => {
    write('templates/caf\u0065\u0301.yaml', 'userPrompt: x\n')
    await open()
    expect(textOf('caf\u00e9')).toBe('x')
  })

  it('loads the bundled example without a diagnostic', async () => {
    rmSync(directory, { recursive: true })
    cpSync(join(import.meta.dirname, '../../../examples/catalog'), directory, { recursive: true })
    await open()
    expect(registry.current.prompts.size).toBeGreaterThan(9)
    expect(registry.current.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
  })

  it('applies edit after edit', async () => {
    write('templates/a/one.yaml', 'userPrompt: "0"')
    await open()
    for (let edit = 1; edit <= 15; edit += 1) {
      write('templates/a/one.yaml', `userPrompt: "${edit}"`)
      await waitUntil(() => textOf('a.one') === String(edit), 'the edit')
    }
  })

  it('applies edits, additions, deletions and renames, also in new directories', async () => {
    write('templates/a/one.yaml', 'userPrompt: one')
    await open()
    expect(textOf('a.one')).toBe('one')
    write('templates/a/one.yaml', 'userPrompt: uno')
    await waitUntil(() => textOf('a.one') === 'uno', 'the edit')
    write('templates/b/c/two.json', '{"userPrompt":"two"}')
    await waitUntil(() => textOf('b.c.two') === 'two', 'the new directory')
    renameSync(join(directory, 'templates/b/c'), join(directory, 'templates/b/d'))
    await waitUntil(() => textOf('b.d.two') === 'two' && textOf('b.c.two') === undefined, 'the rename')
    write('templates/b/d/two.json', '{"userPrompt":"zwei"}')
    await waitUntil(() => textOf('b.d.two') === 'zwei', 'an edit in the renamed directory')
    rmSync(join(directory, 'templates'), { recursive: true })
    await waitUntil(() => registry.current.prompts.size === 0, 'the deletion')
    write('templates/a/one.yaml', 'userPrompt: again')
    await waitUntil(() => textOf('a.one') === 'again', 'the directory that came back')
  })

  it('applies an atomic save and leaves the temporary file alone', async () => {
    write('environs/vscode/rules.json', '"one"')
    await open()
    write('environs/vscode/.rules.json.swp', 'junk')
    write('environs/vscode/rules.json~', 'junk')
    write('environs/vscode/.rules.tmp', '"two"')
    renameSync(join(directory, 'environs/vscode/.rules.tmp'), join(directory, 'environs/vscode/rules.json'))
    await waitUntil(() => registry.current.environs.get('vscode.rules')?.value === 'two', 'the save')
    expect(registry.current.environs.ids()).toEqual(['vscode.rules'])
  })

  it('serves the last good version while a file is half written', async () => {
    write('environs/a.json', '{"x": 1}')
    await open()
    write('environs/a.json', '{"x": ')
    await waitUntil(() => registry.current.diagnostics.length === 1, 'the diagnostic')
    expect(registry.current.context).toEqual({ a: { x: 1 } })
    expect(registry.current.diagnostics[0]).toMatchObject({ code: 'invalid_json', servingLastGood: true })
    write('environs/a.json', '{"x": 2}')
    await waitUntil(() => registry.current.diagnostics.length === 0, 'the rest of the file')
    expect(registry.current.context).toEqual({ a: { x: 2 } })
  })

  it('reads one of two files for one document and tells about the other', async () => {
    write('environs/a.yaml', 'from: yaml')
    write('environs/a.json', '{"from":"json"}')
    await open()
    expect(registry.current.context).toEqual({ a: { from: 'json' } })
    expect(registry.current.diagnostics).toMatchObject([
      { id: 'a', code: 'duplicate_id', severity: 'warning' },
    ])
    rmSync(join(directory, 'environs/a.json'))
    await waitUntil(() => registry.current.diagnostics.length === 0, 'the other file')
    expect(registry.current.context).toEqual({ a: { from: 'yaml' } })
  })

  describe('with links out of it', () => {
    let outside: string
    beforeEach(() => {
      outside = mkdtempSync(join(tmpdir(), 'aps-outside-'))
      mkdirSync(join(outside, 'deep'))
      writeFileSync(join(outside, 'secret.json'), '"secret"')
      writeFileSync(join(outside, 'deep/key.json'), '"key"')
      write('environs/good.json', '1')
      symlinkSync(join(outside, 'secret.json'), join(directory, 'environs/secret.json'))
      symlinkSync(outside, join(directory, 'environs/all'))
      // Out, by a link that is within.
      symlinkSync(join(directory, 'environs/all/deep/key.json'), join(directory, 'environs/key.json'))
      // A sibling whose name begins like the catalog's.
      mkdirSync(`${directory}-other`)
      writeFileSync(`${directory}-other/near.json`, '1')
      symlinkSync(`${directory}-other/near.json`, join(directory, 'environs/near.json'))
    })
    afterEach(() => {
      for (const each of [outside, `${directory}-other`]) rmSync(each, { recursive: true })
    })

    it('stays within', async () => {
      await open()
      expect(registry.current.context).toEqual({ good: 1 })
      expect(registry.current.diagnostics.map(({ id, message }) => [id, message])).toEqual(
        ['key', 'near', 'secret'].map((id) => [
          id,
          expect.stringContaining('a symbolic link out of the catalog'),
        ]),
      )
      rmSync(join(directory, 'environs/good.json'))
      symlinkSync(join(outside, 'secret.json'), join(directory, 'environs/good.json'))
      await waitUntil(() => registry.current.diagnostics.length === 4, 'the link in place of a file')
      expect(registry.current.context).toEqual({ good: 1 })
    })

    it('follows them when told to', async () => {
      await open({ followLinks: true })
      expect(registry.current.context).toEqual({
        good: 1,
        near: 1,
        secret: 'secret',
        key: 'key',
        all: { secret: 'secret', deep: { key: 'key' } },
      })
    })
  })

  it('follows the links of a mounted volume to its newest version', async () => {
    const version = (name: string, text: string) => {
      write(`..${name}/environs/a.json`, text)
      symlinkSync(`..${name}`, join(directory, '..data_tmp'))
      renameSync(join(directory, '..data_tmp'), join(directory, '..data'))
    }
    version('one', '1')
    symlinkSync('..data/environs', join(directory, 'environs'))
    await open()
    expect(registry.current.context).toEqual({ a: 1 })
    version('two', '2')
    await waitUntil(() => registry.current.context['a'] === 2, 'the new version')
    expect(registry.current.diagnostics).toEqual([])
  })

  it('survives circles of links, bad encodings and files over the limit', async () => {
    write('environs/good.json', '1')
    write('environs/large.json', `"${'x'.repeat(11 * 1024 * 1024)}"`)
    mkdirSync(join(directory, 'environs/deep'))
    writeFileSync(join(directory, 'environs/bad.json'), Buffer.from([0x22, 0xff, 0x22]))
    symlinkSync(directory, join(directory, 'environs/deep/circle'))
    symlinkSync(join(directory, 'nowhere'), join(directory, 'environs/dangling.json'))
    await open()
    expect(registry.current.context).toMatchObject({ good: 1 })
    expect(registry.current.diagnostics.map(({ id, code }) => `${id} ${code}`)).toEqual([
      'bad unreadable',
      'large unreadable',
    ])
  })

  it('goes on serving when the directory vanishes, and reads it again when it is back', async () => {
    write('environs/a.json', '1')
    await open()
    const away = `${directory}-away`
    renameSync(directory, away)
    await waitUntil(() => registry.status.stale, 'the loss')
    expect(registry.current.context).toEqual({ a: 1 })
    writeFileSync(join(away, 'environs/a.json'), '2')
    await sleep(20)
    renameSync(away, directory)
    await waitUntil(() => registry.current.context['a'] === 2 && !registry.status.stale, 'the return')
  })
})
