import { type Signal, signal } from '@preact/signals'
import type { JsonObject, WireApproval } from '../../api/shapes.js'

/** A tool that was called in an answer. */
export interface Activity {
  readonly id: string
  readonly name: string
  readonly arguments: JsonObject | string
  readonly state: 'running' | 'ok' | 'failed'
  readonly preview?: string
  readonly durationMs?: number
}

/** One thing in a conversation, in the order it came. */
export type Item =
  | { readonly kind: 'said'; readonly role: 'user' | 'assistant'; readonly text: string }
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
}

/** Makes an empty conversation. */
export function createConversation(): Conversation {
  return { items: signal<readonly Item[]>([]), stop: signal(undefined) }
}

/** Adds to the end; text goes on where text of the same kind stands. */
export function add({ items }: Conversation, item: Item): void {
  const last = items.value.at(-1)
  const goesOn =
    (item.kind === 'said' && last?.kind === 'said' && item.role === last.role) ||
    (item.kind === 'thought' && last?.kind === 'thought')
  items.value = goesOn
    ? [...items.value.slice(0, -1), { ...item, text: last.text + item.text }]
    : [...items.value, item]
}

/** Changes one activity, wherever it stands. */
export function updateActivity({ items }: Conversation, id: string, change: Partial<Activity>): void {
  items.value = items.value.map((item) =>
    item.kind === 'activity' && item.activity.id === id
      ? { ...item, activity: { ...item.activity, ...change } }
      : item,
  )
}

/** Shows an approval, or what became of it. */
export function showApproval(conversation: Conversation, approval: WireApproval): void {
  const { items } = conversation
  const isKnown = items.value.some((item) => item.kind === 'approval' && item.approval.id === approval.id)
  if (!isKnown) add(conversation, { kind: 'approval', approval })
  items.value = items.value.map((item) =>
    item.kind === 'approval' && item.approval.id === approval.id ? { kind: 'approval', approval } : item,
  )
}
