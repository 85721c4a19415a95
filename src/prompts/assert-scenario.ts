import { ServiceError } from '../errors.js'
import { findTool } from '../registry/find-tool.js'
import type { PromptDefinition, Snapshot } from '../registry/snapshot.js'
import type { RenderPlan } from './render-plan.js'

/** A prompt that is about to be rendered. */
export interface ScenarioPrompt {
  readonly snapshot: Snapshot
  readonly definition: Pick<PromptDefinition, 'name' | 'supports' | 'tools'>
}

/**
 * Holds that a prompt, the tools it offers to a model and those its templates call support a scenario. What lists
 * none supports all.
 *
 * @throws ServiceError `invalid_request`
 */
export function assertScenario(
  scenario: string,
  { snapshot, definition }: ScenarioPrompt,
  { functions }: Pick<RenderPlan, 'functions'>,
): void {
  if (!supports(definition, scenario)) throw refused(`The prompt "${definition.name}"`, definition, scenario)
  for (const name of [...definition.tools, ...functions]) {
    const tool = findTool(snapshot, name)
    if (tool === undefined || supports(tool.definition, scenario)) continue
    throw refused(`The tool "${tool.id}"`, tool.definition, scenario)
  }
}

interface Supporting {
  readonly supports: readonly string[]
}

function supports({ supports }: Supporting, scenario: string): boolean {
  return supports.length === 0 || supports.includes(scenario)
}

function refused(who: string, { supports }: Supporting, scenario: string): ServiceError {
  const message = `${who} does not support the scenario ${JSON.stringify(scenario)}, but ${supports.join(', ')}`
  return new ServiceError('invalid_request', message, { param: 'scenario', details: { supports } })
}
