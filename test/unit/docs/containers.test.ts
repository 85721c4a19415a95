import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../../..')
const script = join(root, 'scripts/test-containers.mjs')

/** Runs the script where nothing answers as a Docker daemon. */
function runWithout(env: Readonly<Record<string, string>>): {
  readonly status: number
  readonly text: string
} {
  try {
    const text = execFileSync(process.execPath, [script], {
      env: { ...process.env, DOCKER_HOST: 'unix:///nowhere/docker.sock', DOCKER_CONTEXT: '', ...env },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return { status: 0, text }
  } catch (error) {
    const { status, stdout } = error as { readonly status: number; readonly stdout: string }
    return { status, text: stdout }
  }
}

describe('npm run test:containers', () => {
  it.each([
    [{}, 0],
    [{ TEST_CONTAINERS: 'required' }, 1],
  ])('says in one line that there is no Docker daemon (%j)', (env, status) => {
    const text =
      'no Docker daemon: the store, state and queue suites against images of Redis and Valkey are left out\n'
    expect(runWithout(env)).toEqual({ status, text })
  })

  it('is run by the repository’s workflow, where a daemon is required', () => {
    const workflow = readFileSync(join(root, '.github/workflows/ci.yml'), 'utf8')
    expect(workflow).toMatch(/npm run test:containers\n\s+env: \{ TEST_CONTAINERS: required \}/)
  })
})
