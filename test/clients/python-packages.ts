import { spawnSync } from 'node:child_process'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * A folder for `PYTHONPATH` with a Python package as pip installs it, such as `openai==3.22.1`. It lies among the temporary
 * files and is found there by the next run. @throws Error where pip cannot install it
 */
export function pythonPackages(wanted: string): string {
  const folder = join(tmpdir(), `ai-prompt-shell-python-${wanted.replaceAll(/[^\w.-]/g, '-')}`)
  if (existsSync(folder)) return folder
  const growing = `${folder}-${process.pid}`
  const options = ['--quiet', '--disable-pip-version-check', '--only-binary=:all:', '--target', growing]
  const { status, stderr } = spawnSync('python3', ['-m', 'pip', 'install', ...options, wanted], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`pip could not install ${wanted}:\n${stderr}`)
  // Two runs at once both install, and the second finds the folder of the first.
  if (existsSync(folder)) rmSync(growing, { recursive: true })
  else renameSync(growing, folder)
  return folder
}

/** A checker of types. */
export const TYPES_FOR_PYTHON = 'mypy==2.4.0'

/** OpenAI's client for Python. */
export const OPENAI_FOR_PYTHON = 'openai==3.22.1'
