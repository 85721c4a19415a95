import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type { JsonObject, PromptDetail, Rendered, Span } from '../../api/shapes.js'
import { documentOf } from '../../draft/prompt-document.js'
import { keep, keptDocument, keptTextIfAny } from '../../stores/kept.js'
import { exampleOf } from './examples-of.js'

/** A place in one of the prompt's texts. */
export interface Place {
  readonly message: number
  readonly part: number | undefined
  /** From 1. */
  readonly line: number
  /** From 1; the whole line without it. */
  readonly column?: number
  /** Behind the place; of an action, behind its closing braces. */
  readonly endColumn?: number
}

/** What the prompt renders to with the variables as they are. */
export interface Preview {
  readonly rendered?: Rendered
  /** Variables that are not given; the preview has placeholders for them. */
  readonly missing: readonly string[]
  /** Why the newest try gave nothing; what was rendered before stays beside it. */
  readonly error?: unknown
  /** True while a newer one is on its way. */
  readonly waiting: boolean
  /** True when somebody ran the tools for it. */
  readonly ran?: boolean
}

/** What can be seen of a prompt's result. */
export const VIEWS = ['preview', 'chat', 'compare', 'timeLine', 'code', 'about', 'versions'] as const
export type View = (typeof VIEWS)[number]

/** What can be seen of a draft. */
export type DraftView = 'texts' | 'document' | 'stored' | 'difference' | 'home'

/** Where a small screen looks: it has room for one of them. */
export type Pane = 'write' | 'result' | 'origin'

/** What a draft began with. */
export interface DraftBase {
  readonly revision: string | null
  /** ISO 8601. */
  readonly at: string
}

/** What one works on: a prompt as it is stored, a draft of it, and its variables. */
export interface Workbench {
  readonly id: string
  readonly detail: Signal<PromptDetail | undefined>
  /** As the author wrote it. */
  readonly stored: ReadonlySignal<JsonObject>
  /** Never saved in the store: it lives in this tab, also after a reload, in files and in links. */
  readonly draft: Signal<JsonObject | undefined>
  /** The draft as a document that the user wrote; while it is invalid, it is not part of the draft. */
  readonly draftText: Signal<string | undefined>
  /** What was discarded, or replaced by the draft of a link: it can be restored. */
  readonly discarded: Signal<JsonObject | undefined>
  /** What the draft began with, where that is known. */
  readonly base: Signal<DraftBase | undefined>
  /** Which face of the draft is in sight. */
  readonly draftView: Signal<DraftView>
  /** What is rendered: the draft, else what is stored. */
  readonly shown: ReadonlySignal<JsonObject>
  readonly variables: Signal<JsonObject>
  /** What somebody entered before an example took its place. */
  readonly own: Signal<JsonObject | undefined>
  /** The variables as somebody writes them; they need not be JSON at the moment. */
  readonly variablesText: Signal<string>
  readonly variablesError: ReadonlySignal<string>
  readonly preview: Signal<Preview>
  /** Why the newest preview failed. */
  readonly failure: Signal<unknown>
  /** The stretch of the preview that was chosen. */
  readonly chosen: Signal<{ readonly message: number; readonly span: Span } | undefined>
  /** The stretch that the pointer or the focus is on. */
  readonly pointed: Signal<Span | undefined>
  /** The variable that the chosen stretch comes from. */
  readonly field: Signal<string | undefined>
  /** The place to point at. */
  readonly place: Signal<Place | undefined>
  /** The place whose stretches of the preview light up. */
  readonly lit: Signal<Place | undefined>
  /** Whether the preview shows what the draft changes in it. */
  readonly compares: Signal<boolean>
  readonly view: Signal<View>
  readonly pane: Signal<Pane>
  /** How far each pane is scrolled. */
  readonly scrolled: Map<string, number>
}

/** Makes a workbench; what was entered before in this tab is there again. */
export function createWorkbench(id: string, tab: Storage): Workbench {
  const detail = signal<PromptDetail | undefined>(undefined)
  const draft = keptDocument(tab, `draft ${id}`)
  const discarded = keptDocument(tab, `discarded draft ${id}`)
  const stored = computed(() => (detail.value === undefined ? {} : documentOf(detail.value)))
  const variables = signal(remembered(tab, id))
  const variablesText = signal(JSON.stringify(variables.value, undefined, 2))
  return {
    ...{ id, detail, draft, discarded, stored, variables, variablesText },
    draftText: keptTextIfAny(tab, `text of draft ${id}`),
    base: baseSignal(tab, id),
    own: keptDocument(tab, `own variables ${id}`),
    draftView: signal<DraftView>('texts'),
    shown: computed(() => draft.value ?? stored.value),
    variablesError: computed(() => parseVariables(variablesText.value).error ?? ''),
    preview: signal<Preview>({ missing: [], waiting: true }),
    failure: signal(undefined),
    chosen: signal(undefined),
    pointed: signal(undefined),
    field: signal(undefined),
    place: signal(undefined),
    lit: signal(undefined),
    compares: signal(false),
    view: signal<View>('preview'),
    pane: signal<Pane>('result'),
    scrolled: new Map(),
  }
}

/** Starts a draft of the stored text, or of this document, and remembers which revision it began with. */
export function beginDraft(
  { detail, stored, draft, draftText, base, pane }: Workbench,
  document = stored.value,
): void {
  batch(() => {
    base.value = baseNow(detail.value)
    draftText.value = undefined
    draft.value = document
    pane.value = 'write'
  })
}

/** Starts a draft of what is written in a document that cannot be used: as far as it can be read, else as a text. */
export async function beginWrittenDraft(bench: Workbench, source: string): Promise<void> {
  const { parseDocument } = await import('../../draft/own-text.js')
  let document: JsonObject | undefined
  try {
    document = parseDocument(source)
  } catch {
    // Not even a document: it is written on as a text.
  }
  batch(() => {
    beginDraft(bench, document ?? {})
    bench.draftText.value = source
    if (document === undefined) bench.draftView.value = 'document'
  })
}

/** True when the stored text is another than the one the draft began with. */
export function isOvertaken({ detail, draft, base }: Workbench): boolean {
  const [now, began] = [detail.value?.revision, base.value?.revision]
  return draft.value !== undefined && typeof began === 'string' && typeof now === 'string' && began !== now
}

/** The draft continues from the text that is stored now. */
export function acceptStored({ detail, base }: Workbench): void {
  base.value = baseNow(detail.value)
}

function baseNow(detail: PromptDetail | undefined): DraftBase {
  return { revision: detail?.revision ?? null, at: new Date().toISOString() }
}

function baseSignal(tab: Storage, id: string): Signal<DraftBase | undefined> {
  const key = `base of draft ${id}`
  const { revision, at } = parseVariables(tab.getItem(key) ?? '').value ?? {}
  const base = signal<DraftBase | undefined>(
    typeof at === 'string' ? { at, revision: typeof revision === 'string' ? revision : null } : undefined,
  )
  base.subscribe((value) => {
    if (value !== undefined) tab.setItem(key, JSON.stringify(value))
  })
  return base
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

/** Shows the draft that a link brings, unless it was taken up before and edited since. What it replaces can be restored. */
export function openLinkedDraft(bench: Workbench, tab: Storage, link: string, linked: JsonObject): void {
  const key = `linked draft ${bench.id}`
  if (tab.getItem(key) === link && bench.draft.value !== undefined) return
  tab.setItem(key, link)
  batch(() => {
    if (bench.draft.value !== undefined) bench.discarded.value = bench.draft.value
    bench.base.value = baseNow(bench.detail.value)
    bench.draft.value = linked
  })
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
  keep(tab, keyOf(bench.id), bench.variablesText.value)
}

/** Sets all variables: those of an example. What somebody entered before can be taken up again. */
export function setVariables(bench: Workbench, tab: Storage, variables: JsonObject): void {
  const { own, shown, variables: before } = bench
  const isOwn = exampleOf(shown.peek(), before.peek()) === undefined && Object.keys(before.peek()).length > 0
  if (isOwn) own.value = before.peek()
  setVariablesText(bench, tab, JSON.stringify(variables, undefined, 2))
}

/** Sets all variables from JSON; an invalid text is kept so that the user can continue to write. */
export function setVariablesText(bench: Workbench, tab: Storage, text: string): void {
  const { value } = parseVariables(text)
  batch(() => {
    bench.variablesText.value = text
    if (value !== undefined) bench.variables.value = value
  })
  if (value !== undefined) keep(tab, keyOf(bench.id), text)
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
