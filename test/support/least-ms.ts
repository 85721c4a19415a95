/** The least of many times that this takes, in milliseconds: once it is compiled, and while nobody else computes. */
export function leastMs(work: () => unknown): number {
  const times = Array.from({ length: 40 }, () => {
    const begunAt = performance.now()
    work()
    return performance.now() - begunAt
  })
  return Math.min(...times)
}
