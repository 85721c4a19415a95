/** One turn of the event loop of a service. */
export interface LoopTurn {
  /** By the clock, without what the loop waited for events, or its thread for a processor where that is known. */
  readonly wallMs: number
  /** Of all threads of the process. */
  readonly cpuMs: number
  /** Pages of memory that the process used for the first time. */
  readonly newPages: number
}

/** What the service did in this one piece, in ms of processor time: work of other threads and of other processes lengthens one of the two each. */
export function busyMs({ wallMs, cpuMs }: LoopTurn): number {
  return Math.max(0, Math.min(wallMs, cpuMs))
}
