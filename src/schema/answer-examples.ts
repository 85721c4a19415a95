import type { JsonObject } from '../util/json/json.js'
import { CATALOG_EXAMPLES } from './catalog-examples.js'

const session = {
  id: 'trip',
  agent: 'project.guide',
  turn: 0,
  status: 'idle',
  active_context: 'main',
  usage: { input_tokens: 0, output_tokens: 0, cached_tokens: 0 },
  created_at: '2026-01-31T12:00:00.000Z',
  expires_at: '2026-02-07T12:00:00.000Z',
}
const said = { role: 'assistant', content: 'Which trains go to Bonn?' }
const turn = {
  turn: 1,
  status: 'completed',
  message: said,
  ended_by: 'answer',
  usage: { input_tokens: 51, output_tokens: 5, cached_tokens: 0 },
  steps: 1,
  tool_calls: 0,
}
const afterTurn = { ...session, turn: 1, usage: turn.usage }
const review = { id: 'review', agent: 'project.researcher', active: false, messages: 0 }
const inReview = { ...afterTurn, agent: review.agent, active_context: review.id }
const approval = {
  id: 's-1-0-trip',
  session: 'trip',
  turn: 1,
  call_id: 'call_1',
  tool: 'book',
  arguments: { city: 'Bonn' },
  status: 'pending',
}
const task = { id: '0f8e5c1e-6d0b-4c59-9d53-6a1c1c6f8a11', status: 'completed' }
const taskSummary = {
  ...task,
  description: 'Forecast the load of next week',
  created_at: '2026-01-31T12:00:00.000Z',
  expires_at: '2026-02-07T12:00:00.000Z',
}
const step = {
  id: 'step_1',
  index: 0,
  description: 'Forecast',
  parameters: {},
  dependencies: [],
  attempts: 1,
  status: 'completed',
  output: 'About 40 GW',
}
const evaluation = {
  evaluation_id: 'e',
  overall_score: 95,
  is_successful: true,
  dimensions: { completeness: 90, correctness: 98, efficiency: 80, reliability: 85 },
  successes: [],
  failures: [],
  improvement_suggestions: [],
}

/**
 * What operations answer, by their `operationId`, and by the status of another good answer: of those with a memory one
 * conversation, and one task, over the bundled catalog. Ids and times differ each time.
 */
export const ANSWER_EXAMPLES: JsonObject = {
  ...CATALOG_EXAMPLES,
  createSession: session,
  listSessions: { items: [session], total: 1 },
  getSession: session,
  runTurn: turn,
  'runTurn 202': { turn: 1, status: 'paused', approvals: [approval] },
  getTurn: { ...turn, started_at: '2026-01-31T12:00:00.000Z', ended_at: '2026-01-31T12:00:01.500Z' },
  cancelTurn: { turn: 1, status: 'completed' },
  listMessages: {
    items: [
      {
        id: 'c0a0f4de-3d9c-4d39-9f1e-5c3c1a53a7d1',
        turn: 1,
        message: { role: 'user', content: 'Which trains go to Bonn?' },
      },
      { id: '5b7a7c1a-35f4-4c8b-8c2e-1e9f6d1d6a02', turn: 1, message: said },
    ],
    total: 2,
  },
  setMemory: { key: 'units', value: 'metric' },
  getMemory: { key: 'units', value: 'metric' },
  listMemory: { items: [{ key: 'units', value: 'metric' }], total: 1 },
  createContext: review,
  getContext: review,
  listContexts: {
    items: [{ id: 'main', agent: 'project.guide', active: true, messages: 2 }, review],
    total: 2,
  },
  shareContextSummary: {
    from: 'main',
    to: 'review',
    key: 'context:main',
    summary: 'We agreed on the second plan.',
  },
  switchContext: inReview,
  updateSession: inReview,
  listApprovals: { items: [approval], total: 1 },
  decideApproval: { ...approval, arguments: { city: 'Köln' }, status: 'approved' },
  createTask: { ...task, status: 'queued', durable: false },
  listTasks: { items: [taskSummary], total: 1 },
  getTask: {
    ...taskSummary,
    durable: false,
    metadata: { region: 'north' },
    result: {
      output: { text: 'About 40 GW', steps: { step_1: 'About 40 GW' } },
      ended_by: 'correctness',
      failure_count: 0,
      rounds: 1,
      usage: { input_tokens: 550, output_tokens: 5, cached_tokens: 0 },
    },
    usage: { input_tokens: 550, output_tokens: 5, cached_tokens: 0 },
    rounds: [
      {
        round: 1,
        plan: {
          id: 'plan_1',
          steps: [{ ...step, started_at: '2026-11-02T09:00:01.000Z', ended_at: '2026-11-02T09:00:03.000Z' }],
        },
        evaluation,
        phases: [
          { phase: 'plan', started_at: '2026-11-02T09:00:00.000Z', ended_at: '2026-11-02T09:00:01.000Z' },
          { phase: 'execute', started_at: '2026-11-02T09:00:01.000Z', ended_at: '2026-11-02T09:00:03.000Z' },
          { phase: 'evaluate', started_at: '2026-11-02T09:00:03.000Z', ended_at: '2026-11-02T09:00:04.000Z' },
        ],
      },
    ],
  },
  cancelTask: task,
  resumeTask: { ...task, status: 'queued' },
}
