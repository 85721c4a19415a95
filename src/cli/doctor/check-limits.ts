import type { Config } from '../../config.js'
import type { CliContext } from '../command.js'
import type { Finding } from './finding.js'

/** A limit that has no effect where it is above another one. */
interface Rule {
  readonly limit: keyof typeof NAMES
  readonly within: keyof typeof NAMES
  readonly meaning: string
  /** The defaults are so, on purpose: only a value that somebody set is reported. */
  readonly isUsual?: true
}

const NAMES = {
  renderTimeoutMs: 'RENDER_TIMEOUT_MS',
  toolTimeoutMs: 'TOOL_TIMEOUT_MS',
  agentToolTimeoutMs: 'AGENT_TOOL_TIMEOUT_MS',
  llmTimeoutMs: 'LLM_TIMEOUT_MS',
  taskTimeoutMs: 'TASK_TIMEOUT_MS',
  stateLeaseMs: 'STATE_LEASE_MS',
  sessionTtlMs: 'SESSION_TTL_MS',
  maxTemplateBytes: 'MAX_TEMPLATE_BYTES',
  maxBodyBytes: 'MAX_BODY_BYTES',
} as const satisfies Partial<Record<keyof Config, string>>

const RULES: readonly Rule[] = [
  {
    limit: 'toolTimeoutMs',
    within: 'renderTimeoutMs',
    meaning: 'a tool that a template calls has only the time of the render',
    isUsual: true,
  },
  {
    limit: 'agentToolTimeoutMs',
    within: 'taskTimeoutMs',
    meaning: 'a task ends before its tool call does',
  },
  { limit: 'llmTimeoutMs', within: 'taskTimeoutMs', meaning: 'a task ends before its model call does' },
  {
    limit: 'stateLeaseMs',
    within: 'sessionTtlMs',
    meaning: 'a session may expire before a turn of a crashed process is taken over',
  },
  {
    limit: 'maxTemplateBytes',
    within: 'maxBodyBytes',
    meaning: 'a request with a template of that length is refused',
  },
]

/** Whether limits contradict each other: a value above another limit has no effect. */
export function checkLimits(
  config: Pick<Config, keyof typeof NAMES>,
  environment: CliContext['environment'],
): readonly Finding[] {
  const broken = RULES.filter(
    ({ limit, within, isUsual }) =>
      config[limit] > config[within] && (isUsual !== true || environment[NAMES[limit]] !== undefined),
  )
  if (broken.length === 0) return [{ check: 'limits', status: 'ok', message: 'none contradicts another' }]
  return broken.map(({ limit, within, meaning }) => ({
    check: 'limits',
    status: 'note',
    message: `${NAMES[limit]} (${config[limit]}) is above ${NAMES[within]} (${config[within]}): ${meaning}`,
    advice: `raise ${NAMES[within]}, or lower ${NAMES[limit]}`,
  }))
}
