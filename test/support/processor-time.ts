/** Processor time of a synchronous piece of work in milliseconds, the least of three runs. */
export function processorTime(run: () => void): number {
  const times = [1, 2, 3].map(() => {
    const before = process.cpuUsage()
    run()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  })
  return Math.min(...times)
}
