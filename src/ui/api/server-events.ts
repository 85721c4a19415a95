/** One server-sent event. */
export interface ServerEvent {
  readonly id: string
  readonly event: string
  readonly data: string
}

/** Reads a stream of server-sent events; comments are passed over. Ends with the stream. */
export async function* readServerEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<ServerEvent> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (;;) {
      const { value, done } = await reader.read()
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
  // Where the time of a stream went: the service writes it as a comment.
  const timing = /^: server-timing (.*)/.exec(block)?.[1]
  if (timing !== undefined) return { id: '', event: 'server-timing', data: timing }
  for (const line of block.split('\n')) {
    const [, name, value = ''] = /^([a-z]+):? ?(.*)$/s.exec(line) ?? []
    if (name === 'data') data.push(value)
    else if (name === 'id') fields.id = value
    else if (name === 'event') fields.event = value
  }
  return data.length === 0 ? undefined : { ...fields, data: data.join('\n') }
}
