import { bundledPrompt } from '../registry/bundled-prompt.js'
import type { PromptEntry } from '../registry/snapshot.js'
import { PLANNER_DOCUMENTS, PLANNER_PROMPTS } from './planner-prompts.js'

/** The four prompts of a task as every catalog has them: `planner.plan` and so on, until a document replaces one. */
export function plannerEntries(): readonly PromptEntry[] {
  return PLANNER_PROMPTS.map((name) => bundledPrompt(['planner', name], PLANNER_DOCUMENTS[name]))
}
