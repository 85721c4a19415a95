import type { LocalTool } from '../../../src/tools/local-tool.js'
import { type Replicas, startReplicas } from '../../support/replicas.js'
import { evaluation, phaseOf } from '../../support/task-setup.js'
import type { TestAgent } from '../../support/test-agents.js'

const PLAN = { plan_id: 'p', steps: [{ step_id: 'a', step_name: 'Say hello' }] }
const BOOK = { name: 'book', arguments: { city: 'Bonn' } }

/**
 * Two services over one state, with an agent `helper` that says `one two three four`, and an agent `booker` that books when
 * it is asked to "Book it" and somebody allows it. Tasks are planned and judged by the same model.
 */
export function startRunsService(book: LocalTool['execute']): Promise<Replicas> {
  return startReplicas({
    state: 'memory',
    environment: { LLM_MODEL: 'scripted' },
    agents: new Map<string, TestAgent>([
      ['helper', {}],
      ['booker', { ask: ['book'], tools: [{ name: 'book', execute: book }] }],
    ]),
    replies: [
      (request) => {
        const phase = phaseOf(request)
        if (phase === 'plan') return JSON.stringify(PLAN)
        if (phase === 'evaluate') return JSON.stringify(evaluation(95, 98, true))
        const said = JSON.stringify(request['messages'])
        const isAsked = said.includes('Book it') && !said.includes('booked')
        return isAsked ? { toolCalls: [BOOK] } : 'one two three four'
      },
    ],
  })
}
