import { readFileSync } from 'node:fs'
import { PACKAGE_ROOT } from '../package-root.js'

const manifest = JSON.parse(readFileSync(new URL('package.json', PACKAGE_ROOT), 'utf8')) as {
  readonly version: string
}

/** The package's version. */
export const VERSION = manifest.version
