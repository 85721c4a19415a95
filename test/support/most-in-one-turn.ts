/**
 * The most that was counted within one turn of the event loop while this ran.
 *
 * @param run gets what counts
 */
export async function mostInOneTurn(run: (count: () => void) => Promise<unknown>): Promise<number> {
  let inTurn = 0
  let most = 0
  let timer = setImmediate(begin)
  function begin() {
    inTurn = 0
    timer = setImmediate(begin)
  }
  try {
    await run(() => {
      inTurn += 1
      most = Math.max(most, inTurn)
    })
  } finally {
    clearImmediate(timer)
  }
  return most
}
