// A copy of the sources in which a line can be changed, and the tests that should notice.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = new URL('..', import.meta.url).pathname

/**
 * @param {string} test a test file
 * @param {Record<string, string>} [environment] beside that of the process
 */
export function openMutatedCopy(test, environment = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'mutants-'))
  for (const each of ['src', 'test', 'examples', 'package.json', 'tsconfig.json', 'vitest.config.ts'])
    cpSync(join(root, each), join(directory, each), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'))

  /** The names of the tests that fail. */
  function failures() {
    const run = spawnSync('npx', ['vitest', 'run', test], {
      cwd: directory,
      env: { ...process.env, ...environment },
      encoding: 'utf8',
    })
    if (!/\d+ passed|\d+ failed/.test(run.stdout)) throw new Error(run.stdout + run.stderr)
    return run.stdout.split('\n').flatMap((line) => (line.startsWith('failed: ') ? [line.slice(8)] : []))
  }

  /** The names of the tests that fail where a file says something else. */
  function failuresWith(file, before, after) {
    const path = join(directory, file)
    const text = readFileSync(path, 'utf8')
    if (!text.includes(before)) throw new Error(`${file} does not say: ${before}`)
    writeFileSync(path, text.replace(before, after))
    try {
      return failures()
    } finally {
      writeFileSync(path, text)
    }
  }

  return { failures, failuresWith, close: () => rmSync(directory, { recursive: true, force: true }) }
}
