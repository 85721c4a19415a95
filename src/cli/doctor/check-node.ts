import { releaseNote } from '../../util/packages/node-release.js'
import type { Finding } from './finding.js'

/**
 * The release of Node: whether it still gets patches, and its known vulnerabilities. Notes only: the package runs on every
 * release that `engines` takes, and which one to run is the operator's decision.
 *
 * @param version such as `24.22.1`
 * @param now epoch milliseconds
 */
export function checkNode(version: string, now: number): Finding {
  const message = releaseNote(version, now)
  if (message === undefined) return { check: 'node', status: 'ok', message: `Node ${version}` }
  return { check: 'node', status: 'note', message, advice: 'use a patched release; the image has one' }
}
