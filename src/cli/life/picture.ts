import type { Release } from '../../versions/release-document.js'

/** Columns of a whole bar. */
const BAR = 40

/** What a label points at before and after a move, as bars: readable without colors. */
export function pictureOf(
  title: string,
  before: Release | undefined,
  after: Release | undefined,
): readonly string[] {
  return [title, ...rowsOf('before', before), ...rowsOf('after', after)]
}

function rowsOf(name: string, release: Release | undefined): readonly string[] {
  if (release === undefined) return [`  ${name.padEnd(6)}  nothing`]
  return release.targets.map(({ version, share }, index) => {
    const bar = '#'.repeat(Math.max(1, Math.round((share / 100) * BAR)))
    const heading = index === 0 ? name : ''
    return `  ${heading.padEnd(6)}  ${`@${version}`.padEnd(6)} ${`${share} %`.padStart(8)}  ${bar}`
  })
}
