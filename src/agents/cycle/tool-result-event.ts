import { previewOf, shownOf } from './result-text.js'
import type { TurnEvent } from './turn-event.js'

/** A call's result as readers see it. */
export interface ToldResult {
  readonly callId: string
  readonly ok: boolean
  readonly code: string | undefined
  /** As the model reads it. */
  readonly text: string
  /** Default: it did not run. */
  readonly durationMs?: number
}

/** The event of a call's result: whole as far as a reader needs it, and its beginning. */
export function toolResultEvent({ callId, ok, code, text, durationMs = 0 }: ToldResult): TurnEvent {
  const told = { preview: previewOf(text), output: shownOf(text), duration_ms: durationMs }
  return code === undefined
    ? { type: 'tool.result', call_id: callId, ok, ...told }
    : { type: 'tool.result', call_id: callId, ok, code, ...told }
}
