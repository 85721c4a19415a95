import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Redis } from 'ioredis'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { createCatalogDirectory } from '../../support/catalog-directory.js'
import { runLocalTurn as cli } from '../../support/run-cli.js'

/** Files with something in them, and what `check` of a directory among them says. */
interface Row {
  readonly name: string
  readonly files: Readonly<Record<string, string>>
  readonly checked?: string
  readonly code: number
  readonly said: readonly string[]
}

const GOOD = { 'catalog/templates/y/hello.yaml': 'userPrompt: hi\n' }
const EMPTY = 'no document is here: a catalog has the folders extensions, templates, environs, tools, agents'

const ROWS: readonly Row[] = [
  {
    name: 'a folder of a catalog',
    files: { ...GOOD, 'catalog/environs/x.json': '1' },
    checked: 'catalog/templates',
    code: 1,
    said: [`catalog/templates:1:1 ${EMPTY}; did you mean "ROOT/catalog"? [empty_catalog]`],
  },
  {
    name: 'a folder deep in a catalog',
    files: GOOD,
    checked: 'catalog/templates/y',
    code: 1,
    said: [`catalog/templates/y:1:1 ${EMPTY}; did you mean "ROOT/catalog"? [empty_catalog]`],
  },
  {
    name: 'the folder around a catalog, and around that',
    files: { 'a/prompts/templates/x.yaml': 'userPrompt: x\n', 'node_modules/m/templates/x.yaml': 'x' },
    code: 1,
    said: [`ROOT:1:1 ${EMPTY}; did you mean "ROOT/a/prompts"? [empty_catalog]`],
  },
  {
    name: 'a folder with nothing',
    files: { 'empty/readme.md': 'x' },
    checked: 'empty',
    code: 1,
    said: [`empty:1:1 ${EMPTY} [empty_catalog]`],
  },
  {
    name: 'documents beside the folders, but no settings',
    files: {
      'templates/a.yaml': 'userPrompt: x\n',
      'root.yaml': '# mine\nuserPrompt: x\n',
      'ev.JSON': '{\n  "contributes": {}\n}',
      'compose.yaml': 'services: {}\n',
      'package.json': '{"name": "x"}',
    },
    code: 0,
    said: [
      'ev.JSON:1:1 warning: this file is not read; move it into the folder "extensions" [unread_file]',
      'root.yaml:1:1 warning: this file is not read; move it into the folder "templates" [unread_file]',
    ],
  },
  {
    name: 'files in the folders that only look like documents',
    files: {
      'templates/a.yaml': 'userPrompt: x\n',
      'templates/b.YAML': 'userPrompt: x\n',
      'templates/c.yaml.txt': 'userPrompt: x\n',
      'environs/d.toml': 'a = 1\n',
      'templates/README.md': '# mine\n',
      'templates/notes.txt': 'mine\n',
    },
    code: 0,
    said: [
      'environs/d.toml:1:1 warning: this file is not read; documents end with .json, .yaml, .yml [unread_file]',
      'templates/b.YAML:1:1 warning: this file is not read; name it "b.yaml" [unread_file]',
      'templates/c.yaml.txt:1:1 warning: this file is not read; name it "c.yaml" [unread_file]',
    ],
  },
  {
    name: 'folders of other names, but none that belong beside them',
    files: {
      'templates/a.yaml': 'userPrompt: x\n',
      'template/b.yaml': 'userPrompt: x\n',
      'Environs/b.json': '1',
      'tests/a.yaml': 'a: 1\n',
      'tapes/a.json': '1',
      'proposals/a.yaml': 'a: 1\n',
      'history/a.yaml': 'a: 1\n',
      'agent-history/a.yaml': 'a: 1\n',
      '__snapshots__/a.json': '1',
    },
    code: 0,
    said: [
      'Environs:1:1 warning: this folder is not read; name it environs [wrong_folder]',
      'template:1:1 warning: this folder is not read; name it templates [wrong_folder]',
    ],
  },
]

describe('what is not read is told by check of', () => {
  it.each(ROWS)('$name', async ({ files, checked = '.', code, said }) => {
    const catalog = createCatalogDirectory()
    onTestFinished(() => catalog.dispose())
    const root = join(catalog.path, 'root')
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(join(root, dirname(file)), { recursive: true })
      writeFileSync(join(root, file), text)
    }
    const outcome = await cli(['check', join(root, checked)])
    const lines = outcome.stdout
      .replaceAll(`"${root}`, '"ROOT')
      .replaceAll(`${root}/`, '')
      .replaceAll(root, 'ROOT')
    expect(lines.trim().split('\n')).toEqual(said)
    expect(outcome.code).toBe(code)
    expect((await cli(['check', join(root, checked), '--strict'])).code).toBe(1)
  })

  it('keys in Redis whose directory is nearly one', async () => {
    const prefix = `unread-${process.pid}`
    const redis = new Redis(inject('redisUrl'))
    const names = ['templates:a:b', 'template:a:b', 'Tools:x', 'history:a', 'sessions:x', 'loose']
    const keys = names.map((name) => `${prefix}:${name}`)
    onTestFinished(async () => {
      await redis.del(keys)
      redis.disconnect()
    })
    const environment = { REDIS_URL: inject('redisUrl'), KEY_PREFIX: prefix }
    const empty = await cli(['check'], environment)
    expect([empty.code, empty.stdout]).toEqual([
      0,
      expect.stringContaining(`warning: no key begins with "${prefix}:`),
    ])
    for (const key of keys) await redis.set(key, '{"userPrompt":"x"}')
    const { code, stdout } = await cli(['check'], environment)
    expect([code, stdout.trim().split('\n')]).toEqual([
      0,
      [
        `${prefix}:Tools:1:1 warning: keys that begin so are not read; did you mean "${prefix}:tools:"? [wrong_folder]`,
        `${prefix}:template:1:1 warning: keys that begin so are not read; did you mean "${prefix}:templates:"? [wrong_folder]`,
      ],
    ])
  })
})
