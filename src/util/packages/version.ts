import { readFileSync } from 'node:fs'
import { PACKAGE_ROOT } from '../package-root.js'

const manifest = JSON.parse(readFileSync(new URL('package.json', PACKAGE_ROOT), 'utf8')) as {
  readonly version: string
  /** Of what is published: the release knows where. */
  readonly homepage?: string
}

/** The package's version. */
export const VERSION = manifest.version

/** The address of the project; undefined in a clone, which has the documentation itself. */
export const HOMEPAGE = manifest.homepage

/**
 * Where a page of the documentation is, for messages and help: its path in a clone, its address at this version in an
 * installed package, which does not have the pages.
 *
 * @param page below `docs`, such as `reference/check.md`
 */
export function documentAt(page: string, homepage = HOMEPAGE): string {
  if (homepage === undefined) return `docs/${page}`
  const [project = ''] = homepage.split('#')
  return `${project.endsWith('/') ? project.slice(0, -1) : project}/blob/v${VERSION}/docs/${page}`
}
