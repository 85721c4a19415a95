import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readPackages } from '../../../../src/util/packages/read-packages.js'

const scratch = mkdtempSync(join(tmpdir(), 'read-packages-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

/** Each file notes that it was run, and what it saw of those that it needs. */
const FILES: Readonly<Record<string, string>> = {
  'index.js':
    'const a = require("./a")\nvar b = require("./b"),\n    c = require(\'./c\');\nlog("index", a, b, c)',
  'a.js': 'const b = require("./b")\nlog("a", b)',
  // Need each other in a circle: what either sees depends on which is run first.
  'b.js': 'exports.early = 1\nconst d = require("./d")\nexports.late = 2\nlog("b", d)',
  'd.js': 'const b = require("./b")\nexports.seen = Object.keys(b)\nlog("d")',
  'c.js':
    'require("node:fs")\nfunction later() {\n  const x = require("./never")\n}\nrequire("./data.json")\nlog("c")',
  'never.js': 'log("never")',
  'data.json': '{"a":1}',
}
const LOG =
  'const said = []\nglobalThis.log = (name, ...seen) => said.push(name + JSON.stringify(seen))\nmodule.exports = said\n'

function writePackage(name: string): string {
  const directory = join(scratch, name)
  cpSync(import.meta.dirname, directory, { recursive: true, filter: (path) => path === import.meta.dirname })
  for (const [file, text] of Object.entries(FILES))
    writeFileSync(
      join(directory, file),
      file.endsWith('.js') ? `const { log } = require("./log")\n${text}\n` : text,
    )
  writeFileSync(
    join(directory, 'log.js'),
    LOG.replace('globalThis.log =', 'exports.log =').replace('module.exports = said', 'exports.said = said'),
  )
  return directory
}

/** What the files noted, in order. */
function saidBy(directory: string): readonly string[] {
  return createRequire(import.meta.url)(join(directory, 'log.js')).said
}

describe('readPackages', () => {
  it('runs every file once, in the order and with the sight that a require of the whole gives', async () => {
    const [plain, inPieces] = [writePackage('plain'), writePackage('pieces')]
    createRequire(import.meta.url)(plain)
    await readPackages([inPieces], import.meta.url)
    expect(saidBy(inPieces)).toEqual(saidBy(plain))
    expect(saidBy(inPieces)).toHaveLength(5)
    createRequire(import.meta.url)(inPieces)
    expect(saidBy(inPieces)).toHaveLength(5)
  })

  it('looks into no file again that was read', async () => {
    const directory = writePackage('again')
    await readPackages([directory], import.meta.url)
    writeFileSync(join(directory, 'index.js'), 'require("./never")')
    await readPackages([directory], import.meta.url)
    expect(saidBy(directory)).toHaveLength(5)
  })

  it('leaves what is not there, or fails, to whoever needs it', async () => {
    const directory = writePackage('failing')
    writeFileSync(join(directory, 'a.js'), 'throw new Error("broken")')
    await readPackages(['no-such-package', directory], import.meta.url)
    expect(() => createRequire(import.meta.url)(directory)).toThrow('broken')
  })

  it('has read all of a real package, so that nothing is left for the first who needs it', async () => {
    const require = createRequire(import.meta.url)
    await readPackages(['@grpc/grpc-js'], import.meta.url)
    const before = Object.keys(require.cache).length
    expect(before).toBeGreaterThan(50)
    require('@grpc/grpc-js')
    expect(Object.keys(require.cache)).toHaveLength(before)
  })
})
