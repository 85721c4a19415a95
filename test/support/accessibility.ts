import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
}

/**
 * What axe finds wrong with a page as it is now, one line each: nothing is the goal.
 *
 * @param rule of axe, to look for nothing else: where the same page was looked at in other colours, for instance
 */
export async function accessibilityProblems(page: Page, rule?: 'color-contrast'): Promise<readonly string[]> {
  // Not as a script of the page, which its policy would refuse.
  await page.evaluate(AXE)
  const options = { resultTypes: ['violations'], ...(rule !== undefined && { runOnly: [rule] }) }
  const { violations } = await page.evaluate<{ violations: readonly Violation[] }>(
    `axe.run(${JSON.stringify(options)})`,
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  )
}
