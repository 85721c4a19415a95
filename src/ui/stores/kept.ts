import { type Signal, signal } from '@preact/signals'
import type { JsonObject } from '../api/shapes.js'

/** A text that the tab keeps, also after a reload. */
export function keptText(tab: Storage, key: string): Signal<string> {
  const kept = signal(tab.getItem(key) ?? '')
  kept.subscribe((text) => keep(tab, key, text === '' ? undefined : text))
  return kept
}

/** A text that the tab keeps, if there is one: an empty one is one. */
export function keptTextIfAny(tab: Storage, key: string): Signal<string | undefined> {
  const kept = signal(tab.getItem(key) ?? undefined)
  kept.subscribe((text) => keep(tab, key, text))
  return kept
}

/** A JSON object that the tab keeps; empty before anything was put there. */
export function keptObject(tab: Storage, key: string): Signal<JsonObject> {
  const kept = signal(objectIn(tab.getItem(key)) ?? {})
  kept.subscribe((value) =>
    keep(tab, key, Object.keys(value).length === 0 ? undefined : JSON.stringify(value)),
  )
  return kept
}

/** A document that the tab keeps, if there is one. */
export function keptDocument(tab: Storage, key: string): Signal<JsonObject | undefined> {
  const kept = signal(objectIn(tab.getItem(key)))
  kept.subscribe((document) => keep(tab, key, document && JSON.stringify(document)))
  return kept
}

/** Puts a text into the tab's storage, or takes it away. What the tab has no room for is kept until the next reload only. */
export function keep(tab: Storage, key: string, text: string | undefined): void {
  try {
    if (text === undefined) tab.removeItem(key)
    else tab.setItem(key, text)
  } catch {
    tab.removeItem(key)
  }
}

/** Answers come in many pieces: they are kept so often at most. */
const KEEP_EVERY_MS = 250

/** Does some work soon: once for many calls. */
export function occasionally(work: () => void): () => void {
  let isComing = false
  const come = () => {
    isComing = false
    work()
  }
  return () => {
    if (!isComing) setTimeout(come, KEEP_EVERY_MS)
    isComing = true
  }
}

function objectIn(text: string | null): JsonObject | undefined {
  const value: unknown = text === null ? undefined : parsed(text)
  return isObject(value) ? value : undefined
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What was kept by another version of the page is nothing. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
