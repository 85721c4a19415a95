import { effect, signal, untracked } from '@preact/signals'
import type { Choice, JsonObject, Rendered } from '../../api/shapes.js'
import type { Shell } from '../../shell.js'
import { keep, occasionally } from '../../stores/kept.js'
import { askModel } from '../chat/ask-model.js'
import { createConversation, type Item, leave } from '../chat/conversation.js'
import { type Comparison, DRAFT, type Side, STORED, type Subject } from './sides.js'
import type { Workbench } from './workbench.js'

/** More have no room beside each other. */
export const MAX_SIDES = 4

/** What a tab keeps of a comparison. */
interface KeptComparison {
  readonly sides: readonly KeptSide[]
  readonly parameters: JsonObject
}
interface KeptSide {
  readonly subject: Subject
  readonly model: string
  readonly items: readonly Item[]
}

/** Compares the stored text with the draft, or with itself before another model; or what this tab compared before. */
export function createComparison(bench: Workbench, tab: Storage): Comparison {
  const key = `comparison ${bench.id}`
  const before: KeptComparison | undefined = JSON.parse(tab.getItem(key) ?? 'null') ?? undefined
  const second = bench.draft.peek() === undefined ? STORED : DRAFT
  const sides = signal(before?.sides.map(openSide) ?? [createSide(STORED), createSide(second)])
  const parameters = signal<JsonObject>(before?.parameters ?? {})
  const now = (): KeptComparison => ({ sides: sides.value.map(keptSide), parameters: parameters.value })
  const keepSoon = occasionally(() => keep(tab, key, JSON.stringify(untracked(now))))
  effect(() => {
    now()
    keepSoon()
  })
  return { sides, parameters, marks: signal(false) }
}

/** A side that was not asked anything yet. */
export function createSide(subject: Subject): Side {
  return { subject: signal(subject), model: signal(''), conversation: createConversation() }
}

function openSide({ subject, model, items }: KeptSide): Side {
  return { subject: signal(subject), model: signal(model), conversation: createConversation(items) }
}

function keptSide({ subject, model, conversation }: Side): KeptSide {
  const items = conversation.items.value.filter(({ kind }) => kind !== 'failed')
  return { subject: subject.value, model: model.value, items }
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
  leave(conversation)
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
