import { ServiceError } from '../../errors.js'

/** What an agent is for: `main` solves tasks; `browsing` brings facts, and leaves conclusions to others. */
export type AgentRole = 'main' | 'browsing'

/** @throws ServiceError `invalid_config` for an unknown role */
export function assertAgentRole(role: string | undefined): void {
  if (role === undefined || Object.hasOwn(ROLE_PROMPTS, role)) return
  const roles = Object.keys(ROLE_PROMPTS).join(', ')
  throw new ServiceError('invalid_config', `Unknown agentRole "${role}". Roles: ${roles}`)
}

/** What the system prompt says of an agent's work. */
export const ROLE_PROMPTS: Readonly<Record<AgentRole, string>> = {
  main:
    '# Objective\n\n' +
    'Solve the task step by step, with tools where they help. Work until you have a complete, accurate and well-reasoned answer.',
  browsing:
    '# Objective\n\n' +
    'Find the information you are asked for, and report facts that can be verified, each with its source. ' +
    'Do not infer, speculate or fill gaps yourself: what you did not find, say so.',
}

/** What a final prompt is made of. */
export interface FinalPromptInput {
  readonly agentRole: AgentRole
  /** The answer is wanted in a box. */
  readonly boxed: boolean
  /** What was asked, repeated for the model. */
  readonly task: string
}

/** The prompt that asks for the last answer, without tools. */
export function finalPrompt({ agentRole, boxed, task }: FinalPromptInput): string {
  return [
    'No more tools: any call would be a mistake, and would not run. Answer now, from what the conversation has brought and what you know.',
    `The task was:\n\n${task}`,
    agentRole === 'main' ? MAIN : BROWSING,
    ...(boxed ? [BOXED] : []),
  ].join('\n\n')
}

const MAIN =
  'If the answer was already found above, take it as it is; do not think it over or calculate it again. ' +
  'If it could not be determined, give your best guess.'

const BROWSING =
  'Report everything you found that serves the task: facts, figures, quotations and their sources, under headings. ' +
  'Say what stayed open, and where sources contradict each other. Invent nothing.'

const BOXED = [
  'Put the final answer into \\boxed{}, once, at the end:',
  '- as short as possible: a number, a few words, or a list separated by commas;',
  '- numbers in digits, without thousands separators and without units, unless the task asks for them;',
  '- no articles, no abbreviations, no punctuation at the end, unless the task asks for them;',
  '- every rule of form that the task itself gives.',
].join('\n')

/** What asks again for an answer that has no box, or an empty one. */
export const BOXED_NOTE =
  'Your last message was not accepted: it has no answer in \\boxed{}. Write the final answer again, with its result in \\boxed{}.'
