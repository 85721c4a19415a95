import { readFileSync } from 'node:fs'
import { PACKAGE_ROOT } from '../package-root.js'

const manifest = JSON.parse(readFileSync(new URL('package.json', PACKAGE_ROOT), 'utf8')) as {
  readonly version: string
  /** Of what is published: the release knows where. */
  readonly homepage?: string
}

/** The package's version. */
export const VERSION = manifest.version

/** Where the documents are that messages name, such as `docs/reference/errors.md`; undefined in a clone, which has them. */
export const HOMEPAGE = manifest.homepage
