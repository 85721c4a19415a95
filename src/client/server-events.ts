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
  let rest = ''
  try {
    for (;;) {
      const silence = setTimeout(() => void reader.cancel().catch(() => {}), SILENCE_MS)
      const { value, done } = await reader.read().finally(() => clearTimeout(silence))
      if (done) return
      const blocks = (rest + value.replaceAll('\r', '')).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const event = parseBlock(block)
        if (event !== undefined) yield event
      }
    }
  } finally {
    // Also when the reader of the events has had enough.
    reader.cancel().catch(() => {})
  }
}

function parseBlock(block: string): ServerEvent | undefined {
  const data: string[] = []
  const fields = { id: '', event: 'message' }
  for (const line of block.split('\n')) {
    const [, name, value = ''] = /^([a-z]+):? ?(.*)$/s.exec(line) ?? []
    if (name === 'data') data.push(value)
    else if (name === 'id') fields.id = value
    else if (name === 'event') fields.event = value
  }
  return data.length === 0 ? undefined : { ...fields, data: data.join('\n') }
}
