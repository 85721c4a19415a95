import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../../..')
/** Made from what the service registers, which `tables.test.ts` holds. */
const metrics = readFileSync(join(root, 'docs/reference/metrics.md'), 'utf8')
const known = new Set([...metrics.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name))
/** A field of an answer. */
const FIELDS = ['diagnostics_total']
const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.md') && !name.includes('decisions'),
)

describe('the pages for operators', () => {
  it.each(pages)('%s names metrics that there are', (page) => {
    const text = readFileSync(join(root, 'docs', page), 'utf8')
    const named = [...text.matchAll(/\b(?!process_|nodejs_)\w+_(?:total|seconds|in_flight)\b/g)].map(
      ([name]) => name,
    )
    expect(named.filter((name) => !known.has(name) && !FIELDS.includes(name))).toEqual([])
  })

  it('know metrics', () => expect(known.size).toBeGreaterThan(40))
})
