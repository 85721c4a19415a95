import { type Signal, signal } from '@preact/signals'
import type { JsonObject } from '../api/shapes.js'
import type { Talk } from '../pages/chat/talk.js'
import type { Comparison } from '../pages/prompt/sides.js'
import { createWorkbench, type Workbench } from '../pages/prompt/workbench.js'
import { keptObject, keptText } from './kept.js'

/** What a person makes in this tab: leaving a view, or reloading the page, loses none of it. */
export interface Work {
  /** The workbench of a prompt: always the same one. */
  bench(id: string): Workbench
  /** Conversations by what they are with: `prompt <id>`, `agent <id>`. They continue while the user looks elsewhere. */
  readonly talks: Map<string, Talk>
  /** Prompts that this tab has a chat with, the newest last. */
  chats(): readonly string[]
  /** Texts side by side, by the prompt's id. */
  readonly comparisons: Map<string, Comparison>
  /** What is entered in a form: the variables of `agent <id>`, the arguments of `tool <id>`. */
  values(form: string): Signal<JsonObject>
  /** What is written in a field and not sent yet, by the field's name. */
  text(field: string): Signal<string>
  /** Prompts that have a draft. */
  readonly drafts: Signal<ReadonlySet<string>>
  /** Prompts that were opened, the newest first. */
  readonly recent: Signal<readonly string[]>
  /** Puts a prompt at the head of the recent ones. */
  open(id: string): void
}

/** How many recent prompts the start page shows. */
const MAX_RECENT = 6
const RECENT = 'recent'

/** Finds in the tab's storage what was made before. */
export function createWork(tab: Storage): Work {
  const benches = new Map<string, Workbench>()
  const drafts = signal(new Set(keptIds(tab, DRAFT)))
  const recent = signal<readonly string[]>((tab.getItem(RECENT) ?? '').split('\n').filter(Boolean))
  const bench = (id: string) => {
    const made = benches.get(id) ?? createWorkbench(id, tab)
    if (benches.has(id)) return made
    benches.set(id, made)
    made.draft.subscribe((draft) => {
      if (drafts.peek().has(id) === (draft !== undefined)) return
      const others = [...drafts.peek()].filter((each) => each !== id)
      drafts.value = new Set(draft === undefined ? others : [...others, id])
    })
    return made
  }
  const values = new Map<string, Signal<JsonObject>>()
  const texts = new Map<string, Signal<string>>()
  const talks = new Map<string, Talk>()
  return {
    ...{ bench, drafts, recent, talks },
    chats() {
      const open = [...talks].filter(([name, talk]) => name.startsWith(TALK) && hasItems(talk))
      const closed = keptIds(tab, CHAT).filter((id) => !talks.has(`${TALK}${id}`))
      return [...closed, ...open.map(([name]) => name.slice(TALK.length))]
    },
    values: (form) => sameFor(values, form, () => keptObject(tab, `values ${form}`)),
    text: (field) => sameFor(texts, field, () => keptText(tab, `text ${field}`)),
    comparisons: new Map(),
    open(id) {
      recent.value = [id, ...recent.peek().filter((each) => each !== id)].slice(0, MAX_RECENT)
      tab.setItem(RECENT, recent.value.join('\n'))
    },
  }
}

function sameFor<Value>(known: Map<string, Value>, name: string, make: () => Value): Value {
  const value = known.get(name) ?? make()
  known.set(name, value)
  return value
}

/** What a tab's storage has under the prompt's id. */
const DRAFT = 'draft '
const CHAT = 'chat '
const TALK = 'prompt '
const NO_CHAT = '[]'

/** Ids of prompts that the tab keeps something of this kind for. */
function keptIds(tab: Storage, kind: string): readonly string[] {
  return Array.from({ length: tab.length }, (_, index) => tab.key(index) ?? '')
    .filter((key) => key.startsWith(kind) && tab.getItem(key) !== NO_CHAT)
    .map((key) => key.slice(kind.length))
}

function hasItems({ conversation }: Talk): boolean {
  return conversation.items.value.length > 0
}
