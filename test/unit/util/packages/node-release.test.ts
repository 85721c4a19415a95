import { describe, expect, it } from 'vitest'
import { endOfLifeWarning, releaseNote, releaseWarning } from '../../../../src/util/packages/node-release.js'

describe('releaseWarning', () => {
  it.each(['20.20.2', '21.7.3', '22.23.3', '22.9.9', '23.11.1', '24.22.0', '25.9.0', '26.12.0', '26.10.0'])(
    'warns of %s',
    (version) => {
      expect(releaseWarning(version)).toContain(
        `Node ${version} has a known vulnerability in its Brotli decoder`,
      )
    },
  )

  it.each(['22.23.4', '22.24.0', '24.22.1', '26.12.1', '26.13.0-nightly', '27.0.0'])(
    'has nothing to say about %s',
    (version) => {
      expect(releaseWarning(version)).toBeUndefined()
    },
  )
})

describe('endOfLifeWarning', () => {
  const now = Date.parse('2026-11-22')
  it.each([
    { version: '20.20.2', says: 'Node 20.20.2 has received no security patches since 2026-04-30' },
    { version: '23.11.1', says: 'Node 23.11.1 has received no security patches since 2025-06-01' },
    { version: '24.22.1', says: undefined },
    { version: '27.0.0', says: undefined },
  ])('says of $version: $says', ({ version, says }) => {
    const warning = endOfLifeWarning(version, now)
    if (says === undefined) expect(warning).toBeUndefined()
    else expect(warning).toContain(says)
  })

  it('says nothing before the end', () => {
    expect(endOfLifeWarning('20.20.2', Date.parse('2026-04-29'))).toBeUndefined()
  })
})

describe('releaseNote', () => {
  const now = Date.parse('2026-11-22')
  it.each([
    { version: '20.20.2', says: 'security patches' },
    { version: '22.23.3', says: 'Brotli' },
    { version: '24.22.1', says: undefined },
  ])('is one line at most: of $version $says', ({ version, says }) => {
    const note = releaseNote(version, now)
    if (says === undefined) expect(note).toBeUndefined()
    else expect(note).toContain(says)
  })
})
