import type { Config } from '../config.js'
import { type OpenAgents, openAgents } from '../open-agents.js'
import type { Shell } from '../open-shell.js'
import { compileInlinePrompt } from '../prompts/inline-prompt.js'

/** Whose sessions those of the command line are: without keys everybody's, as over HTTP. */
export const OWNER = '-'

/** Agents and their sessions in this process, with the configured models and state: it runs no tasks of others. */
export function openLocalAgents(shell: Shell, config: Config): OpenAgents {
  const { logger, metrics, guards, hooks, model, agents, registry, renderer, tools, turns, chatModels } =
    shell
  return openAgents(
    { ...config, taskConcurrency: 0, responsesStore: 'never' },
    {
      ...{ logger, metrics, guards, hooks, model, agents, registry, renderer, tools, chatModels },
      compileInline: (snapshot, document) => compileInlinePrompt(registry, snapshot, document, turns),
    },
  )
}
