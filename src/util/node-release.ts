/** The first release of each line that carries the mended Brotli decoder (CVE-2026-111497). */
const PATCHED: readonly (readonly [major: number, minor: number, patch: number])[] = [
  [22, 23, 4],
  [24, 22, 1],
  [26, 12, 1],
]

/**
 * What whoever runs this release of Node should know at the start; undefined when there is nothing to say. The service
 * itself decodes no Brotli; what runs beside it in the process may.
 */
export function releaseWarning(version: string): string | undefined {
  if (isPatched(version)) return undefined
  const releases = PATCHED.map((release) => release.join('.')).join(', ')
  return `Node ${version} has a Brotli decoder with a known hole (CVE-2026-111497): run ${releases} or later`
}

/** Lines that came after the last one listed were never affected; odd ones and those that ended get no patch. */
function isPatched(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map((part) => Number.parseInt(part, 10))
  const release = PATCHED.find(([line]) => line === major)
  if (release === undefined) return major > Math.max(...PATCHED.map(([line]) => line))
  const [, patchedMinor, patchedPatch] = release
  return minor > patchedMinor || (minor === patchedMinor && patch >= patchedPatch)
}
