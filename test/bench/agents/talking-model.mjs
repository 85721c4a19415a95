const usage = { inputTokens: 10, outputTokens: 5, cachedTokens: 0, reasoningTokens: 0 }
const chunk = (delta, reason) => {
  const body = {
    id: 'x',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: reason }],
  }
  return Buffer.from(`data: ${JSON.stringify(body)}\n\n`)
}
const TOKEN = chunk({ content: 'word ' }, null)

/** A model that says this many tokens, one at a time, giving way between them as a network does. */
export function talkingModel(deltas) {
  return {
    async stream() {
      async function* events() {
        for (let index = 0; index < deltas; index += 1) {
          if (index % 10 === 0) await new Promise(setImmediate)
          yield TOKEN
        }
        yield chunk({}, 'stop')
      }
      return { events: events(), usage: () => usage, ended: Promise.resolve(undefined), report: {} }
    },
  }
}
