import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type { JsonObject, PromptDetail, Span } from '../../api/shapes.js'
import { documentOf } from '../../draft/prompt-document.js'

/** A place in one of the prompt's texts. */
export interface Place {
  readonly message: number
  readonly part: number | undefined
  /** From 1. */
  readonly line: number
}

/** What one works on: a prompt as it is stored, a draft of it, and its variables. */
export interface Workbench {
  readonly id: string
  readonly detail: Signal<PromptDetail | undefined>
  /** As the author wrote it. */
  readonly stored: ReadonlySignal<JsonObject>
  /** Never saved in the store: it lives in this tab, also after a reload, in files and in links. */
  readonly draft: Signal<JsonObject | undefined>
  /** What was discarded, or replaced by the draft of a link: it can be restored. */
  readonly discarded: Signal<JsonObject | undefined>
  /** What is rendered: the draft, else what is stored. */
  readonly shown: ReadonlySignal<JsonObject>
  readonly variables: Signal<JsonObject>
  /** The same as somebody writes it; it may be no JSON at the moment. */
  readonly variablesText: Signal<string>
  readonly variablesError: ReadonlySignal<string>
  /** Why the newest preview failed. */
  readonly failure: Signal<unknown>
  /** The stretch of the preview that was chosen. */
  readonly chosen: Signal<{ readonly message: number; readonly span: Span } | undefined>
  /** The line to point at. */
  readonly place: Signal<Place | undefined>
}

/** Makes a workbench; what was entered before in this tab is there again. */
export function createWorkbench(id: string, tab: Storage): Workbench {
  const detail = signal<PromptDetail | undefined>(undefined)
  const draft = keptSignal(tab, `draft ${id}`)
  const discarded = keptSignal(tab, `discarded draft ${id}`)
  const stored = computed(() => (detail.value === undefined ? {} : documentOf(detail.value)))
  const variables = signal(remembered(tab, id))
  const variablesText = signal(JSON.stringify(variables.value, undefined, 2))
  return {
    ...{ id, detail, draft, discarded, stored, variables, variablesText },
    shown: computed(() => draft.value ?? stored.value),
    variablesError: computed(() => parseVariables(variablesText.value).error ?? ''),
    failure: signal(undefined),
    chosen: signal(undefined),
    place: signal(undefined),
  }
}

/** Drops the draft; it can be restored. */
export function discardDraft({ draft, discarded }: Workbench): void {
  batch(() => {
    discarded.value = draft.value
    draft.value = undefined
  })
}

/** Takes the discarded draft up again. */
export function restoreDraft({ draft, discarded }: Workbench): void {
  batch(() => {
    draft.value = discarded.value
    discarded.value = undefined
  })
}

/** Shows the draft that a link brings, unless it was taken up before and went on from there. What it replaces can be restored. */
export function openLinkedDraft(bench: Workbench, tab: Storage, link: string, linked: JsonObject): void {
  const key = `linked draft ${bench.id}`
  if (tab.getItem(key) === link && bench.draft.value !== undefined) return
  tab.setItem(key, link)
  batch(() => {
    if (bench.draft.value !== undefined) bench.discarded.value = bench.draft.value
    bench.draft.value = linked
  })
}

/** A document that the tab keeps. One that the tab has no room for is kept until the next reload only. */
function keptSignal(tab: Storage, key: string): Signal<JsonObject | undefined> {
  const kept = signal(parseVariables(tab.getItem(key) ?? 'null').value)
  kept.subscribe((document) => {
    try {
      if (document === undefined) tab.removeItem(key)
      else tab.setItem(key, JSON.stringify(document))
    } catch {
      tab.removeItem(key)
    }
  })
  return kept
}

/** Sets one variable, or takes it away: the form's way. */
export function setVariable(
  bench: Workbench,
  tab: Storage,
  name: string,
  value: JsonObject[string] | undefined,
): void {
  const { [name]: _before, ...others } = bench.variables.value
  const next = value === undefined ? others : { ...bench.variables.value, [name]: value }
  batch(() => {
    bench.variables.value = next
    bench.variablesText.value = JSON.stringify(next, undefined, 2)
  })
  tab.setItem(keyOf(bench.id), bench.variablesText.value)
}

/** Sets all variables from JSON; a text that is none is kept for the writer to go on. */
export function setVariablesText(bench: Workbench, tab: Storage, text: string): void {
  const { value } = parseVariables(text)
  batch(() => {
    bench.variablesText.value = text
    if (value !== undefined) bench.variables.value = value
  })
  if (value !== undefined) tab.setItem(keyOf(bench.id), text)
}

function parseVariables(text: string): { readonly value?: JsonObject; readonly error?: string } {
  try {
    const value: unknown = JSON.parse(text.trim() === '' ? '{}' : text)
    return isObject(value) ? { value } : { error: '{…}' }
  } catch (error) {
    return { error: error instanceof Error ? error.message : '' }
  }
}

function remembered(tab: Storage, id: string): JsonObject {
  return parseVariables(tab.getItem(keyOf(id)) ?? '').value ?? {}
}

function keyOf(id: string): string {
  return `variables ${id}`
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
