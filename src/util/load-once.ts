/**
 * Runs a load at its first call and answers the same result from then on; one that failed is tried again at the next
 * call.
 */
export function loadOnce<Result>(load: () => Promise<Result>): () => Promise<Result> {
  let loading: Promise<Result> | undefined
  return () => {
    if (loading === undefined) {
      const started = load()
      started.catch(() => {
        if (loading === started) loading = undefined
      })
      loading = started
    }
    return loading
  }
}
