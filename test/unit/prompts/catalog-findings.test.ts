import { expect, it } from 'vitest'
import { createCatalogFindings } from '../../../src/prompts/catalog-findings.js'
import { byPlace } from '../../../src/registry/faults-in-order.js'
import type { Diagnostic } from '../../../src/registry/snapshot.js'
import { functionLibrary } from '../../../src/template/library/function-library.js'
import { emptyRegistry } from '../../support/empty-registry.js'
import { turnsOfOthers } from '../../support/turns-of-others.js'

it('findings are put in order by place, and others have their turns meanwhile', async () => {
  const diagnostics = Array.from(
    { length: 20_000 },
    (_, index): Diagnostic => ({
      kind: 'templates',
      id: `${index}`,
      location: `place ${(index * 7919) % 20_000}`,
      code: 'unused_parameter',
      message: 'not used',
      severity: 'warning',
      servingLastGood: false,
    }),
  )
  const { current, status, unread } = emptyRegistry()
  let clock = 0
  const now = () => {
    clock += 10
    return clock
  }
  const registry = { current: { ...current, diagnostics }, status, unread }
  const findings = createCatalogFindings({ registry, library: functionLibrary, now })
  expect(await turnsOfOthers(findings.all)).toBeGreaterThan(20)
  expect(await findings.all()).toEqual(diagnostics.toSorted(byPlace))
})
