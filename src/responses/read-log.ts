import type { RecordAddress } from '../state/contract/record-state.js'
import type { TurnView } from '../state/contract/turn-state.js'
import { placeAfter } from '../state/logged-event.js'
import type { StateStore } from '../state/state-store.js'
import { type JsonObject, parseObject } from '../util/json/json.js'
import { numberField, objectField, textField } from '../util/json/json-fields.js'
import { FIRST_EVENTS } from './event-pump.js'

/** What is in the log of a response that another process began. */
export interface BegunResponse {
  /** The number of the next event. */
  readonly events: number
  /** Whether readers saw more than that there is a response. */
  readonly wasShown: boolean
  /** Its items, those that were open as incomplete. */
  readonly output: readonly JsonObject[]
  /** The events that close what was open. */
  readonly closing: readonly { readonly type: string; readonly fields: JsonObject }[]
}

const PAGE = 500

interface OpenItem {
  readonly item: JsonObject
  text: string
}

/** Reads the events of a response so far. */
export async function readBegun(
  store: StateStore,
  address: RecordAddress,
  { firstEvent }: Pick<TurnView, 'firstEvent'>,
): Promise<BegunResponse> {
  let events = 0
  let wasShown = false
  const open = new Map<number, OpenItem>()
  const output: JsonObject[] = []
  for (let from = firstEvent; from !== undefined; ) {
    const page = await store.events.range(address, from, PAGE)
    for (const { type, json } of page) {
      const event = parseObject(json) ?? {}
      events = (numberField(event, 'sequence_number') ?? events) + 1
      wasShown ||= !FIRST_EVENTS.has(type)
      note(type, event, open, output)
    }
    const last = page.at(-1)
    from = last === undefined || page.length < PAGE ? undefined : placeAfter(last.id, 1)
  }
  const closing = [...open].map(([output_index, { item, text }]) => {
    const cut = { ...item, ...contentOf(item, text), status: 'incomplete' }
    output.push(cut)
    return { type: 'response.output_item.done', fields: { output_index, item: cut } }
  })
  return { events, wasShown, output, closing }
}

/** The events that bring an item's text, a piece each. */
const DELTAS: ReadonlySet<string> = new Set([
  'response.output_text.delta',
  'response.reasoning_text.delta',
  'response.function_call_arguments.delta',
])

/** What an item that was cut off holds as far as readers saw it. */
function contentOf(item: JsonObject, text: string): JsonObject {
  const type = textField(item, 'type')
  if (type === 'function_call') return { arguments: text }
  const parts: Readonly<Record<string, JsonObject>> = {
    message: { type: 'output_text', text, annotations: [], logprobs: [] },
    reasoning: { type: 'reasoning_text', text },
  }
  const part = parts[type ?? '']
  return part === undefined ? {} : { content: text === '' ? [] : [part] }
}

function note(type: string, event: JsonObject, open: Map<number, OpenItem>, output: JsonObject[]): void {
  const index = numberField(event, 'output_index')
  if (index === undefined) return
  const item = objectField(event, 'item')
  if (type === 'response.output_item.added') open.set(index, { item, text: '' })
  else if (type === 'response.output_item.done') {
    open.delete(index)
    output.push(item)
  } else if (DELTAS.has(type)) {
    const known = open.get(index)
    if (known !== undefined) known.text += textField(event, 'delta') ?? ''
  }
}
