/** How many turns the event loop had while this ran. */
export async function turnsOfOthers(run: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let timer = setImmediate(count)
  function count() {
    turns += 1
    timer = setImmediate(count)
  }
  try {
    await run()
  } finally {
    clearImmediate(timer)
  }
  return turns
}
