/**
 * The most pieces of a millisecond that are done in one turn of the event loop while this runs.
 *
 * @param run gets what does a piece
 */
export async function mostInOneTurn(run: (hold: () => void) => Promise<unknown>): Promise<number> {
  let inTurn = 0
  let most = 0
  let timer = setImmediate(begin)
  function begin() {
    inTurn = 0
    timer = setImmediate(begin)
  }
  function hold() {
    inTurn += 1
    most = Math.max(most, inTurn)
    const endAt = performance.now() + 1
    while (performance.now() < endAt);
  }
  try {
    await run(hold)
  } finally {
    clearImmediate(timer)
  }
  return most
}
