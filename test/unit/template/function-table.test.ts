import { describe, expect, it } from 'vitest'
import { compile } from '../../../src/template/index.js'
import { functionLibrary, LIBRARY_FUNCTIONS } from '../../../src/template/library/function-library.js'
import { callsWith, createLargeValues, TABLE_FUNCTIONS } from '../../support/function-table.js'

const values = createLargeValues()
/** Functions that look at a value or its ends, however large it is. */
const FREE =
  /^(default|required|empty|coalesce|ternary|all|any|plural|has(Prefix|Suffix|Key)|trim(Prefix|Suffix)|first|last|get|dig|pluck|deepCopy|typeOf|kindOf|typeIs|typeIsLike|kindIs|fail|tokens|truncateTokens|until|untilStep|seq|list)$/

describe('every function of the table', () => {
  it.each(LIBRARY_FUNCTIONS)('$name charges what it reads', ({ name, cost }) => {
    expect(cost).toBeDefined()
    const isCharged = cost.perCharacter > 0 || (cost.elements !== 'none' && cost.perElement > 0)
    expect(isCharged || FREE.test(name)).toBe(true)
  })

  it('answers each large value, or refuses it, but never fails otherwise', async () => {
    for (const row of TABLE_FUNCTIONS.filter((_, i) => i % 7 === 0)) {
      for (const { source, data } of callsWith(row, values).slice(0, 3)) {
        const template = compile(`{{$x := ${source}}}`, { functions: functionLibrary })
        const failure = await template.render(data).then(
          () => undefined,
          (error: { code?: string }) => error.code,
        )
        expect([undefined, 'render_limit', 'template_error'], source).toContain(failure)
      }
    }
  })
})
