/** The first release of each line with the fixed Brotli decoder (CVE-2026-111497). */
const PATCHED: readonly (readonly [major: number, minor: number, patch: number])[] = [
  [22, 23, 4],
  [24, 22, 1],
  [26, 12, 1],
]

/** When the even lines end, and what was odd before 27; later lines are not known to end. (nodejs/Release) */
const ENDS: ReadonlyMap<number, string> = new Map([
  [20, '2026-04-30'],
  [21, '2024-06-01'],
  [22, '2027-04-30'],
  [23, '2025-06-01'],
  [24, '2028-04-30'],
  [25, '2026-06-01'],
  [26, '2029-04-30'],
])

/**
 * What an operator should know about this release of Node, at the start and in `doctor`: that its line is out of support,
 * or else its known vulnerability. `now` in epoch milliseconds.
 */
export function releaseNote(version: string, now: number): string | undefined {
  // One line is enough: a line without patches has every vulnerability that was found since.
  return endOfLifeWarning(version, now) ?? releaseWarning(version)
}

/** That this release's line gets no patches any more; undefined while it does. `now` in epoch milliseconds. */
export function endOfLifeWarning(version: string, now: number): string | undefined {
  const end = ENDS.get(Number.parseInt(version, 10))
  if (end === undefined || now < Date.parse(end)) return undefined
  return `Node ${version} has received no security patches since ${end}: use 22, 24 or 26`
}

/**
 * What anybody who runs this release of Node should know at the start; undefined when there is nothing to say. The service
 * itself decodes no Brotli; what runs beside it in the process may.
 */
export function releaseWarning(version: string): string | undefined {
  if (isPatched(version)) return undefined
  const releases = PATCHED.map((release) => release.join('.')).join(', ')
  return `Node ${version} has a known vulnerability in its Brotli decoder (CVE-2026-111497): use ${releases} or later`
}

/** Lines that came after the last one listed were never affected; odd ones and those that ended get no patch. */
function isPatched(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map((part) => Number.parseInt(part, 10))
  const release = PATCHED.find(([line]) => line === major)
  if (release === undefined) return major > Math.max(...PATCHED.map(([line]) => line))
  const [, patchedMinor, patchedPatch] = release
  return minor > patchedMinor || (minor === patchedMinor && patch >= patchedPatch)
}
