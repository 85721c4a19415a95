import { describe, expect, it } from 'vitest'
import { describeRows } from './support/describe-rows.js'
import { DOORS } from './tables/doors.js'

describeRows('doors', DOORS)

describe('the table of doors', () => {
  it('has sessions, turns, tasks, approvals, user interfaces and MCP', () => {
    const paths = new Set(DOORS.map(({ path }) => path))
    expect([...paths]).toEqual(
      expect.arrayContaining([
        '/api/sessions',
        '/api/sessions/any/turns',
        '/api/tasks',
        '/api/approvals/any',
        '/api/agents/any/ui',
        '/api/agents/any/ag-ui',
        '/v1/responses',
        '/mcp',
      ]),
    )
  })
})
