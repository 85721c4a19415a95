import { nearNames } from '../../util/errors/near-names.js'
import type { DocumentPath } from '../document-path.js'
import { LIVE } from '../partial-scope.js'
import type { Snapshot } from '../snapshot.js'
import type { Advice, AgentRule } from './rule.js'

/** How an agent names another one as a tool. */
const AGENT_TOOL = 'agent:'
/** What the ids of mounted tools begin with. */
const MOUNTED = 'mcp.'

/** An agent names a tool that is not there, in its tools or its approvals. */
export const unknownTool: AgentRule = function* ({ definition: { tools, approvals } }, { snapshot }) {
  const lists: readonly (readonly [DocumentPath, readonly string[]])[] = [
    [['tools'], tools],
    [['approvals', 'ask'], approvals.ask],
    [['approvals', 'deny'], approvals.deny],
  ]
  for (const [path, names] of lists) {
    for (const [index, name] of names.entries()) {
      const problem = toolProblem(name, snapshot)
      if (problem !== undefined) yield { ...problem, place: { path: [...path, index] } }
    }
  }
}

function toolProblem(
  name: string,
  { tools, functions, agents }: Snapshot,
): Omit<Advice, 'place'> | undefined {
  if (name.startsWith(AGENT_TOOL)) {
    const id = name.slice(AGENT_TOOL.length)
    return agents.has(id) ? undefined : missing(`the agent ${id}`, nearNames(id, agents.ids()), AGENT_TOOL)
  }
  if (name === '*') return undefined
  if (name.endsWith('*')) return patternProblem(name, { tools, functions })
  return tools.has(name) || functions.has(name)
    ? undefined
    : missing(`the tool ${name}`, nearNames(name, [...tools.ids(), ...functions.ids()]))
}

function patternProblem(
  name: string,
  { tools, functions }: Pick<Snapshot, 'tools' | 'functions'>,
): Omit<Advice, 'place'> | undefined {
  const beginning = name.slice(0, -1).replaceAll('.', '_')
  if (functions.ids().some((each) => each.startsWith(beginning))) return undefined
  const wanted = name.replace(/[._]?\*$/, '')
  const { message, hint } = missing(
    `a tool like ${name}`,
    nearNames(wanted, modulesOf(tools.ids())),
    '',
    '.*',
  )
  if (hint !== undefined || wanted.startsWith(MOUNTED)) return { message, hint }
  return { message, hint: `the tools of an MCP server in mcpServers are ${MOUNTED}<server>.*` }
}

/** Ids without their last part, each once. */
function modulesOf(ids: readonly string[]): readonly string[] {
  return [...new Set(ids.map((id) => id.slice(0, Math.max(0, id.lastIndexOf('.')))))]
}

/** An agent opens its system message with a prompt that is not there. */
export const unknownAgentPrompt: AgentRule = function* ({ definition: { prompt } }, { snapshot }) {
  if (prompt === undefined || LIVE.find(snapshot, prompt) !== undefined) return
  const { prompts } = snapshot
  yield { ...missing(`the prompt ${prompt}`, nearNames(prompt, prompts.ids())), place: { path: ['prompt'] } }
}

/** An agent asks for a model that is nearly, and not quite, one of those that are listed. */
export const unknownModel: AgentRule = function* ({ definition: { model } }, { models }) {
  if (model === undefined || models.includes(model)) return
  // Upstreams have more models than they list, so only likely misspellings are reported.
  const near = nearNames(model, models).filter(({ length }) => Math.abs(length - model.length) <= 1)
  if (near.length > 0) yield { ...missing(`the model ${model}`, near), place: { path: ['model'] } }
}

function missing(what: string, [near]: readonly string[], beginning = '', end = ''): Omit<Advice, 'place'> {
  return {
    message: `${what} is not there`,
    hint: near === undefined ? undefined : `did you mean ${beginning}${near}${end}?`,
  }
}
