/** How long work holds the event loop at a stretch where this table says nothing else, in milliseconds. */
export const SLICE_MS = 5

/** A budget that is not the default. */
interface SliceBudget {
  /** Milliseconds. */
  readonly ms: number
  /** Where `test/bench/results.md` shows what it is for: a section, or a row of one. */
  readonly measuredBy: string
}

/**
 * Every budget that differs from {@link SLICE_MS}: the one place where a number says how long the event loop may be held.
 * `docs/explain/decisions/0016-what-may-hold-the-loop.md` says which of them add up in one turn of the loop.
 */
export const SLICES = {
  /** A reader of streamed text: a turn of the loop may have as many as models that answer. */
  streamedText: { ms: 2, measuredBy: 'Attacks: model texts' },
  /** Part of other work, which holds the loop before and after it: calls of a render, calls of a message. */
  part: { ms: 3, measuredBy: 'Attacks: native calls' },
  /** A render: many are under way at once, and each that waits is late by the slices of the others. */
  render: { ms: 4, measuredBy: 'Attacks: fairness' },
  /** A render that has not queued yet, while others wait. */
  busyRender: { ms: 0.5, measuredBy: 'Overload' },
  /** Queued slices that run in one iteration of the event loop, together. */
  shared: { ms: 4, measuredBy: 'Overload' },
  /** A turn of the loop before new work has to queue at its first look at the clock. */
  turn: { ms: 10, measuredBy: 'Overload' },
  /** A turn of the loop in which requests were read, before it is let go to read more of them. */
  accepting: { ms: 1, measuredBy: 'Overload' },
  /** The mirror of the catalog: a full load is millions of steps beside renders. */
  mirror: { ms: 4, measuredBy: 'A million prompts' },
  /** A slice of doubted work, before V8's watchdog ends it. */
  stop: { ms: 50, measuredBy: 'Price of the hard stop' },
} as const satisfies Readonly<Record<string, SliceBudget>>
