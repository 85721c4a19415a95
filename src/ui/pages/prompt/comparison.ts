import { signal } from '@preact/signals'
import type { Choice, JsonObject, Rendered } from '../../api/shapes.js'
import type { Shell } from '../../shell.js'
import { askModel } from '../chat/ask-model.js'
import { createConversation } from '../chat/conversation.js'
import { type Comparison, DRAFT, type Side, STORED, type Subject } from './sides.js'
import type { Workbench } from './workbench.js'

/** More have no room beside each other. */
export const MAX_SIDES = 4

/** Compares the stored text with the draft, or with itself before another model. */
export function createComparison(bench: Workbench): Comparison {
  const second = bench.draft.peek() === undefined ? STORED : DRAFT
  return {
    sides: signal([createSide(STORED), createSide(second)]),
    parameters: signal({}),
    marks: signal(false),
  }
}

/** A side that was not asked anything yet. */
export function createSide(subject: Subject): Side {
  return { subject: signal(subject), model: signal(''), conversation: createConversation() }
}

/** What a side renders to. @throws ApiError */
export function renderSide(
  { api }: Shell,
  bench: Workbench,
  subject: Subject,
  variables: JsonObject,
  signal: AbortSignal,
): Promise<Rendered> {
  const draft = bench.draft.peek()
  if (subject === DRAFT && draft !== undefined)
    return api.renderDraft(draft, variables, { dryRun: 'true', signal })
  if (subject === STORED || subject === DRAFT)
    return api.render(bench.id, variables, { dryRun: 'true', signal })
  return api.renderVersion(bench.id, choiceOf(subject), variables, signal)
}

/** Asks the model of a side for an answer; an earlier one is replaced. */
export async function runSide(
  shell: Shell,
  bench: Workbench,
  side: Side,
  parameters: JsonObject,
): Promise<void> {
  const { conversation, model, subject } = side
  conversation.stop.value?.()
  conversation.items.value = []
  const asked = { ...parameters, ...(model.value !== '' && { model: model.value }) }
  const body = { variables: bench.variables.value, ...asked }
  const draft = bench.draft.value
  if (subject.value === DRAFT && draft !== undefined)
    return askModel(shell, conversation, { path: 'api/chat', body: { ...body, prompt: draft } })
  const query = subject.value === STORED || subject.value === DRAFT ? '' : `?${queryOf(subject.value)}`
  const path = `api/chat/prompts/${encodeURIComponent(bench.id)}${query}`
  return askModel(shell, conversation, { path, body })
}

function queryOf(subject: Subject): string {
  return new URLSearchParams({ ...choiceOf(subject) }).toString()
}

function choiceOf(subject: Subject): Choice {
  return subject.startsWith('@') ? { version: subject.slice(1) } : { label: subject }
}
