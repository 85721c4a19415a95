import { type Signal, signal } from '@preact/signals'
import type { JsonObject, WireApproval } from '../../api/shapes.js'

/** A tool that was called in an answer. */
export interface Activity {
  readonly id: string
  readonly name: string
  readonly arguments: JsonObject | string
  /** `waiting` for the answer of a person. */
  readonly state: 'running' | 'ok' | 'failed' | 'waiting'
  readonly preview?: string
  readonly durationMs?: number
}

/** One thing in a conversation, in the order it came. */
export type Item =
  | { readonly kind: 'said'; readonly role: string; readonly text: string }
  | { readonly kind: 'thought'; readonly text: string }
  | { readonly kind: 'activity'; readonly activity: Activity }
  | { readonly kind: 'approval'; readonly approval: WireApproval }
  | { readonly kind: 'ended'; readonly text: string }
  | { readonly kind: 'failed'; readonly error: unknown }

/** A conversation as it is shown. */
export interface Conversation {
  readonly items: Signal<readonly Item[]>
  /** While an answer comes: stops it. */
  readonly stop: Signal<(() => void) | undefined>
  /** When the answer that is awaited was asked for, in milliseconds of the page's clock; undefined once it comes. */
  readonly askedAt: Signal<number | undefined>
}

/** Makes a conversation, with what was said before. */
export function createConversation(before: readonly Item[] = []): Conversation {
  return { items: signal(before), stop: signal(undefined), askedAt: signal(undefined) }
}

/** Ends the answer that comes: nothing more of it is shown, and another may begin. */
export function leave({ stop, askedAt }: Conversation): void {
  stop.value?.()
  stop.value = undefined
  askedAt.value = undefined
}

/** Appends; text continues text of the same kind. */
export function add({ items, askedAt }: Conversation, item: Item): void {
  if (item.kind !== 'said' || item.role !== 'user') askedAt.value = undefined
  const last = items.value.at(-1)
  const goesOn =
    (item.kind === 'said' && last?.kind === 'said' && item.role === last.role && item.role === 'assistant') ||
    (item.kind === 'thought' && last?.kind === 'thought')
  items.value = goesOn
    ? [...items.value.slice(0, -1), { ...item, text: last.text + item.text }]
    : [...items.value, item]
}

/** Changes one activity, wherever it is. */
export function updateActivity({ items }: Conversation, id: string, change: Partial<Activity>): void {
  items.value = items.value.map((item) =>
    item.kind === 'activity' && item.activity.id === id
      ? { ...item, activity: { ...item.activity, ...change } }
      : item,
  )
}

/** Shows an approval as it is now; its call waits until somebody decided. */
export function showApproval(conversation: Conversation, approval: WireApproval): void {
  const { items } = conversation
  updateActivity(conversation, approval.call_id, {
    state: approval.status === 'pending' ? 'waiting' : 'running',
  })
  const isKnown = items.value.some((item) => item.kind === 'approval' && item.approval.id === approval.id)
  if (!isKnown) add(conversation, { kind: 'approval', approval })
  items.value = items.value.map((item) =>
    item.kind === 'approval' && item.approval.id === approval.id ? { kind: 'approval', approval } : item,
  )
}
