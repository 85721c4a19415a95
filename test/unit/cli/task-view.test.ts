import { expect, it } from 'vitest'
import { fitting, printable } from '../../../src/cli/printable.js'
import { LiveLines } from '../../../src/cli/screen.js'
import { TaskView } from '../../../src/cli/task-view.js'
import type { TaskEvent } from '../../../src/tasks/task-event.js'
import type { WireStep } from '../../../src/tasks/wire-plan.js'

const step = (id: string, more: Partial<WireStep> = {}): WireStep => ({
  ...{ id, index: 0, description: `do ${id}`, parameters: {}, dependencies: [], attempts: 0 },
  status: 'pending',
  ...more,
})
const dimensions = { completeness: 50, correctness: 40, efficiency: 60, reliability: 30 }
const EVENTS: readonly TaskEvent[] = [
  { type: 'phase.started', round: 1, phase: 'plan' },
  { type: 'plan.refused', round: 1, error: { code: 'invalid_plan', message: 'a cycle' } },
  { type: 'plan', round: 1, plan: { id: 'p', steps: ['a', 'b', 'c', 'd', 'e'].map((id) => step(id)) } },
  { type: 'phase.started', round: 1, phase: 'execute' },
  { type: 'step.updated', round: 1, step: step('a', { status: 'completed', attempts: 2 }) },
  {
    type: 'step.updated',
    round: 1,
    step: step('b', {
      status: 'failed',
      attempts: 1,
      error: { code: 'tool_failed', message: 'no \u001b[2Jdata' },
    }),
  },
  { type: 'step.updated', round: 1, step: step('c', { status: 'skipped', because: 'b' }) },
  { type: 'step.updated', round: 1, step: step('d', { status: 'running', attempts: 1 }) },
  { type: 'tool.called', round: 1, step_id: 'd', call: { id: 'x', name: 'm_read', arguments: {} } },
  {
    type: 'evaluation',
    round: 1,
    evaluation: {
      ...{ overall_score: 45, is_successful: false, dimensions },
      ...{ successes: [], failures: [], improvement_suggestions: [] },
    },
  },
]

it('shows rounds, phases, steps, scores and what was wrong', () => {
  const view = new TaskView('forecast\n\u001b[31m')
  for (const event of EVENTS) view.add(event)
  expect(view.lines(80, false)).toEqual([
    'forecast [31m',
    'round 1 · execute',
    '  refused: a cycle',
    '  ✓ a  do a (attempt 2)',
    '  ✗ b  do b: tool_failed, no  [2Jdata',
    '  - c  do c: b failed',
    '  ▸ d  do d → m_read',
    '  · e  do e',
    '  overall 45 · completeness 50 · correctness 40 · efficiency 60 · reliability 30',
  ])
})

it('colours whole lines, where colours are wanted, and cuts before it does', () => {
  const view = new TaskView('a title that is long')
  expect(view.lines(10, true)).toEqual(['\u001b[1ma title t…\u001b[0m'])
})

it.each([
  ['a\tb\u001b[2J\u202ec\u009b', 'a b [2J c'],
  ['  调用 ', '调用'],
])('prints %j as %j', (text, shown) => {
  expect(printable(text)).toBe(shown)
})

it.each([
  ['abc', 3, 'abc'],
  ['abcd', 3, 'ab…'],
  ['调用工', 6, '调用工'],
  ['调用工具', 6, '调用…'],
  ['a调用', 4, 'a调…'],
  ['', 5, ''],
])('fits %j into %i columns', (text, columns, shown) => {
  expect(fitting(text, columns)).toBe(shown)
})

it('draws no more lines than the screen has, and goes back over those', () => {
  let written = ''
  const lines = new LiveLines({
    ...{ columns: 80, rows: 4, colors: false },
    write: (text) => {
      written += text
    },
  })
  lines.draw(['1', '2', '3', '4'])
  lines.draw(['1'])
  expect(written).toBe('\u001b[J2\n3\n4\n\u001b[3A\u001b[J1\n')
})
