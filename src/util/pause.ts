/** Lets the event loop serve others, then goes on. */
export function pause(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Makes a function that pauses only when the caller has held the event loop for `sliceMs`. */
export function createSlicer(sliceMs: number, now: () => number): () => Promise<void> | undefined {
  let started = now()
  return () => {
    if (now() - started < sliceMs) return undefined
    return pause().then(() => {
      started = now()
    })
  }
}
