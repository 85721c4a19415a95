import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
}

/** What axe finds wrong with a page as it is now, one line each: nothing is the goal. */
export async function accessibilityProblems(page: Page): Promise<readonly string[]> {
  // Not as a script of the page, which its policy would refuse.
  await page.evaluate(AXE)
  const { violations } = await page.evaluate<{ violations: readonly Violation[] }>(
    'axe.run({ resultTypes: ["violations"] })',
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  )
}
