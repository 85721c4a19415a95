import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Packages by name, each with the exact version that is tried. */
export type Packages = Readonly<Record<string, string>>

export interface ProjectOptions {
  /** Kinds of dependencies that stay away. */
  readonly omit?: readonly ('optional' | 'peer')[]
}

/**
 * A folder in which these packages are installed as anybody would, without their scripts. It lies among the
 * temporary files, under a name of its packages, and is found there by the next run.
 */
export function clientProject(packages: Packages, { omit = [] }: ProjectOptions = {}): string {
  const name = createHash('sha256')
    .update(JSON.stringify([packages, omit]))
    .digest('hex')
    .slice(0, 16)
  const folder = join(tmpdir(), `ai-prompt-shell-clients-${name}`)
  if (existsSync(folder)) return folder
  const growing = `${folder}-${process.pid}`
  mkdirSync(growing)
  const manifest = { private: true, type: 'module', dependencies: packages }
  writeFileSync(join(growing, 'package.json'), JSON.stringify(manifest))
  install(growing, omit)
  // Two runs at once both install, and the second finds the folder of the first.
  if (existsSync(folder)) rmSync(growing, { recursive: true })
  else renameSync(growing, folder)
  return folder
}

function install(folder: string, omit: readonly string[]): void {
  const left = omit.map((kind) => `--omit=${kind}`)
  const options = [
    ...left,
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    '--engine-strict=false',
  ]
  const { status, stderr } = spawnSync('npm', ['install', ...options], { cwd: folder, encoding: 'utf8' })
  if (status !== 0) throw new Error(`npm could not install the clients:\n${stderr}`)
}
