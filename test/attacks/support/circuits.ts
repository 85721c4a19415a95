import type { AttackedService } from './attack.js'

/** What a service says of its circuit breakers. */
export interface Circuits {
  /** Calls of tools since its start, and those of them that a breaker answered. */
  readonly toolCalls: number
  readonly refusedCalls: number
  readonly modelCalls: number
  /** Whether it avoids a server of models at this moment. */
  readonly avoidsUpstream: boolean
}

/** Reads its metrics. */
export async function readCircuits({ url }: AttackedService): Promise<Circuits> {
  const response = await fetch(`${url}/metrics`)
  const text = await response.text()
  if (response.status !== 200) throw new Error(`the metrics are ${response.status}: ${text.slice(0, 300)}`)
  return {
    toolCalls: sumOf(text, /^tool_calls_total\{.*\} (\d+)$/gm),
    refusedCalls: sumOf(text, /^tool_calls_total\{.*outcome="circuit_open".*\} (\d+)$/gm),
    modelCalls: sumOf(text, /^llm_requests_total\{.*\} (\d+)$/gm),
    avoidsUpstream: sumOf(text, /^llm_circuit_open\{.*\} (\d+)$/gm) > 0,
  }
}

/** Whether a breaker answered most of what happened between these two looks. */
export function meetsBreaker(before: Circuits, after: Circuits): boolean {
  const refused = after.refusedCalls - before.refusedCalls
  const asksModels = after.modelCalls > before.modelCalls
  return (asksModels && before.avoidsUpstream) || refused * 2 > after.toolCalls - before.toolCalls
}

function sumOf(text: string, line: RegExp): number {
  return [...text.matchAll(line)].reduce((sum, [, value]) => sum + Number(value), 0)
}
