import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatDiagnostic } from '../../../src/cli/finding-format.js'
import { createTemplateEngine } from '../../../src/prompts/create-template-engine.js'
import { byPlace } from '../../../src/registry/faults-in-order.js'
import { createCatalogCheck } from '../../../src/registry/rules/check-catalog.js'
import { RULES } from '../../../src/registry/rules/rules.js'
import { functionLibrary } from '../../../src/template/library/function-library.js'
import { createSnapshot } from '../../support/create-snapshot.js'
import { documentOf } from '../../support/documents.js'

const page = readFileSync(join(import.meta.dirname, '../../../docs/reference/check.md'), 'utf8')

function blockAfter(mark: string): string {
  return new RegExp(`<!-- example: ${mark} -->\n\`\`\`\\w*\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? ''
}

describe('docs/reference/check.md', () => {
  it('has a row for every rule, in the words of the table', () => {
    for (const [code, { summary }] of Object.entries(RULES))
      expect(page).toContain(`| \`${code}\` | ${summary} |`)
  })

  it('shows what check says', () => {
    const written = {
      ...documentOf('templates:a:poem', blockAfter('catalog'), 'yaml'),
      location: 'templates/a/poem.yaml',
    }
    const engine = createTemplateEngine(262_144)
    const snapshot = createSnapshot(
      [written, documentOf('environs:vscode:rules', ['no any', 'small files'])],
      engine,
    )
    const found = [...createCatalogCheck(functionLibrary)(snapshot)].flat().sort(byPlace)
    const lines = found.map((finding) => `${formatDiagnostic(finding, 'text')}\n`)
    expect(lines.join('')).toBe(blockAfter('output'))
  })
})
