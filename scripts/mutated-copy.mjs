// A copy of the sources in which a line can be changed, and the tests that should notice.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A change may make a loop endless. */
const MAX_RUN_SECONDS = 120
const root = new URL('..', import.meta.url).pathname

/**
 * @param {string | readonly string[]} test a test file, or several
 * @param {Record<string, string>} [environment] beside that of the process
 * @param {{ isBuilt?: boolean }} [options] whether tests run what the compiler makes of the copy, which is faster; needs a build
 */
export function openMutatedCopy(test, environment = {}, { isBuilt = false } = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'mutants-'))
  for (const each of ['src', 'test', 'examples', 'package.json', 'tsconfig.json', 'vitest.config.ts'])
    cpSync(join(root, each), join(directory, each), { recursive: true })
  if (isBuilt)
    for (const each of ['dist', 'tsconfig.build.json'])
      cpSync(join(root, each), join(directory, each), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'))

  /** The names of the tests that fail; of a loop without an end, a line that says so. */
  function failures() {
    if (isBuilt) compile()
    const vitest = ['npx', 'vitest', 'run', ...(isBuilt ? ['--mode', 'built'] : []), ...[test].flat()]
    // Of coreutils: it ends the workers, too.
    const run = spawnSync('timeout', ['--signal=KILL', String(MAX_RUN_SECONDS), ...vitest], {
      cwd: directory,
      env: { ...process.env, ...environment },
      encoding: 'utf8',
    })
    if (run.signal !== null) return [`the tests do not end within ${MAX_RUN_SECONDS} s`]
    if (!/\d+ passed|\d+ failed/.test(run.stdout)) throw new Error(run.stdout + run.stderr)
    return run.stdout.split('\n').flatMap((line) => (line.startsWith('failed: ') ? [line.slice(8)] : []))
  }

  function compile() {
    const options = ['-p', 'tsconfig.build.json', '--noCheck']
    const run = spawnSync('npx', ['tsc', ...options], { cwd: directory, encoding: 'utf8' })
    if (run.status !== 0) throw new Error(run.stdout + run.stderr)
  }

  /** The names of the tests that fail where a file says something else: what is found once, or replaced by a pattern. */
  function failuresWith(file, before, after) {
    const path = join(directory, file)
    const text = readFileSync(path, 'utf8')
    if (text.replace(before, '') === text) throw new Error(`${file} does not say: ${before}`)
    writeFileSync(path, text.replace(before, after))
    try {
      return failures()
    } finally {
      writeFileSync(path, text)
    }
  }

  return { failures, failuresWith, close: () => rmSync(directory, { recursive: true, force: true }) }
}

/**
 * Makes each change alone, and says whether the tests notice; the process exits with 1 if one is not noticed.
 *
 * @param {ReturnType<typeof openMutatedCopy>} copy closed at the end
 * @param {Readonly<Record<string, readonly [file: string, before: string, after: string]>>} mutants by name
 * @param {readonly string[]} [wanted] names; default all
 */
export function tryMutants(copy, mutants, wanted = process.argv.slice(2)) {
  let missed = 0
  try {
    if (copy.failures().length > 0) throw new Error('the tests fail without any change')
    for (const [name, [file, before, after]] of Object.entries(mutants)) {
      if (wanted.length > 0 && !wanted.includes(name)) continue
      const noticed = copy.failuresWith(file, before, after).length > 0
      if (!noticed) missed += 1
      console.log(`${noticed ? 'noticed' : 'MISSED '}  without ${name}`)
    }
  } finally {
    copy.close()
  }
  process.exitCode = missed > 0 ? 1 : 0
}
