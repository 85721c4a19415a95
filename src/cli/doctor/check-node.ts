import { releaseWarnings } from '../../util/node-release.js'
import type { Finding } from './finding.js'

/**
 * The release of Node: whether it is supported still, and what is known against it.
 *
 * @param version such as `24.22.1`
 * @param now epoch milliseconds
 */
export function checkNode(version: string, now: number): readonly Finding[] {
  const warnings = releaseWarnings(version, now)
  if (warnings.length === 0) return [{ check: 'node', status: 'ok', message: `Node ${version}` }]
  const advice = 'run a patched release of a supported line; the image has one'
  return warnings.map((message) => ({ check: 'node', status: 'mend', message, advice }))
}
