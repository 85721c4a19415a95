import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'

const root = resolve(import.meta.dirname, '../../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const { version }: { version: string } = JSON.parse(read('package.json'))

interface Changelog {
  notesOf(changelog: string, version: string): string
  cutVersion(changelog: string, version: string, date: string): string
}
// A variable path: TypeScript does not look for types of scripts.
const path = '../../../scripts/changelog.mjs'
const { notesOf, cutVersion }: Changelog = await import(path)

describe('the version', () => {
  it('is one, wherever it stands', () => {
    const lock: { version: string; packages: Record<string, { version: string }> } = JSON.parse(
      read('package-lock.json'),
    )
    const chart = parse(read('deploy/helm/ai-prompt-shell/Chart.yaml'))
    const api = /^ +version: (\S+)$/m.exec(read('openapi.yaml'))?.[1]
    const found = [lock.version, lock.packages['']?.version, chart.version, chart.appVersion, api]
    expect(found.map(String)).toEqual(Array(5).fill(version))
  })

  it('is set in all these places by npm version', () => {
    const { scripts }: { scripts: Record<string, string> } = JSON.parse(read('package.json'))
    expect(scripts['version']).toBe('node scripts/set-version.mjs')
    for (const place of ['Chart.yaml', 'CHANGELOG.md', 'openapi.yaml'])
      expect(read('scripts/set-version.mjs')).toContain(place)
  })

  it('has its notes in the change log, from which releases take them', () => {
    expect(notesOf(read('CHANGELOG.md'), version).length).toBeGreaterThan(100)
    expect(read('.github/workflows/release.yml')).toContain(
      'release-notes -- "${GITHUB_REF_NAME#v}" > notes.md',
    )
  })
})

describe('the change log', () => {
  const text = '# Changes\n\n## Unreleased\n\n### Added\n\n- b\n\n## 0.1.0\n\n- a\n'

  it('is cut into versions', () => {
    const cut = cutVersion(text, '0.2.0', '2027-01-31')
    expect(cut).toContain('## Unreleased\n\n## 0.2.0 - 2027-01-31\n\n### Added\n\n- b\n\n## 0.1.0\n')
    expect(notesOf(cut, '0.2.0')).toBe('### Added\n\n- b\n')
    expect(notesOf(cut, '0.1.0')).toBe('- a\n')
  })

  it('is not cut, and has no notes, where nothing is said', () => {
    const cut = cutVersion(text, '0.2.0', '2027-01-31')
    expect(() => cutVersion(cut, '0.3.0', '2027-02-01')).toThrow('CHANGELOG.md says nothing of Unreleased')
    expect(() => notesOf(text, '0.3.0')).toThrow('CHANGELOG.md says nothing of 0.3.0')
  })
})

describe('the change log of this repository', () => {
  const versions = read('CHANGELOG.md').split(/^## /m).slice(1)
  const KINDS = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security']

  it('has versions with a date, and their changes by kind', () => {
    expect(versions.length).toBeGreaterThan(1)
    for (const section of versions) {
      expect(section).toMatch(/^(?:Unreleased|0\.1\.0|\d+\.\d+\.\d+ - \d{4}-\d{2}-\d{2})\n/)
      const kinds = [...section.matchAll(/^### (.*)$/gm)].map(([, kind = '']) => kind)
      expect(kinds).toEqual(KINDS.filter((kind) => kinds.includes(kind)))
    }
  })

  it('has a way to upgrade for what breaks', () => {
    const guide = read('docs/reference/upgrading.md')
    for (const section of versions) {
      const breaking = section.match(/^- \*\*Breaking\.\*\*/gm) ?? []
      if (breaking.length === 0) continue
      const [, to = ''] = /^(\S+)/.exec(section) ?? []
      const [, rows = ''] = guide.split(new RegExp(`^## From \\S+ to ${to.replaceAll('.', '\\.')}$`, 'm'))
      expect(rows.match(/^\| (?!change|---)/gm)?.length ?? 0).toBeGreaterThanOrEqual(breaking.length)
    }
  })
})
