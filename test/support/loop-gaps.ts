/** The longest processor time that one turn of the event loop took while something ran, in milliseconds. */
export async function longestTurn(run: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let isRunning = true
  let last = busyMs()
  const look = (): void => {
    const now = busyMs()
    longest = Math.max(longest, now - last)
    last = now
    if (isRunning) setImmediate(look)
  }
  setImmediate(look)
  await run()
  isRunning = false
  await new Promise((resolve) => setImmediate(resolve))
  return longest
}

function busyMs(): number {
  return process.cpuUsage().user / 1000
}
