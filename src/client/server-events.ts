/** One server-sent event. */
export interface ServerEvent {
  /** Where to continue after it; empty where the event has none. */
  readonly id: string
  readonly event: string
  readonly data: string
}

/** The service says something every 15 seconds; a connection that is silent for longer than this is dead. */
const SILENCE_MS = 60_000

/** Reads a stream of server-sent events; comments are passed over. Ends with the stream, or when that is silent. */
export async function* readServerEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<ServerEvent> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  const leave = () => void reader.cancel().catch(() => {})
  let rest = ''
  try {
    for (;;) {
      const silence = setTimeout(leave, SILENCE_MS)
      const { value, done } = await reader.read().finally(() => clearTimeout(silence))
      if (done) return
      const blocks = (rest + value.replaceAll('\r', '')).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) yield* parseBlock(block)
    }
  } finally {
    // Also when the reader of the events has had enough.
    leave()
  }
}

/** A block without data, such as a comment, is not an event. */
function* parseBlock(block: string): Generator<ServerEvent> {
  const fields: Record<string, string> = {}
  for (const [, name = '', value = ''] of `\n${block}`.matchAll(/\n(data|id|event): ?([^\n]*)/g))
    fields[name] = name === 'data' ? `${fields.data ?? ''}\n${value}` : value
  const { data, id = '', event = 'message' } = fields
  if (data) yield { data: data.slice(1), id, event }
}
