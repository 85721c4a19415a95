// Runs the tests on every supported release of Node, from npm's packages of its binaries in a scratch folder.
//   npm run test:releases -- [--releases 22,24] [folders of tests]
// Ends with one line: N passed, N failed.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

const root = resolve(import.meta.dirname, '..')
const { values, positionals } = parseArgs({
  options: { releases: { type: 'string', default: '20,22,24,latest' } },
  allowPositionals: true,
})
const platform = { win32: 'win' }[process.platform] ?? process.platform
const scratch = mkdtempSync(join(tmpdir(), 'aps-releases-'))
const rows = []

try {
  for (const release of values.releases.split(',')) rows.push(await testOn(release))
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
for (const { version, passed, failed } of rows) console.log(`${version}: ${passed} passed, ${failed} failed`)
const sum = (name) => rows.reduce((total, row) => total + row[name], 0)
console.log(`\n${sum('passed')} passed, ${sum('failed')} failed`)
process.exitCode = sum('failed') === 0 ? 0 : 1

/** One run of the suite; a release that cannot be had, and a run that breaks off, count as one failure. */
async function testOn(release) {
  const folder = join(scratch, release)
  const name = `node-${platform}-${process.arch}`
  const options = ['--silent', '--no-save', '--no-audit', '--no-fund', '--prefix', folder]
  const installed = spawnSync('npm', ['install', ...options, `${name}@${release}`], { cwd: scratch })
  if (installed.status !== 0) return { version: `Node ${release}, which npm has not`, passed: 0, failed: 1 }
  const node = join(folder, 'node_modules', name, 'bin', 'node')
  const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim()
  console.log(`--- Node ${version}`)
  const output = await runTests(node)
  const [, passed, failed] = /^(\d+) passed, (\d+) failed$/m.exec(output) ?? [undefined, 0, 1]
  return { version, passed: Number(passed), failed: Number(failed) }
}

async function runTests(node) {
  const child = spawn(node, ['node_modules/vitest/vitest.mjs', 'run', '--mode', 'built', ...positionals], {
    cwd: root,
    env: { ...process.env, PATH: `${dirname(node)}:${process.env.PATH}` },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text
    process.stdout.write(text)
  })
  await once(child, 'close')
  return output
}
