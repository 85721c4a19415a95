import type { Message } from '../../conversation/message.js'
import { readToolCalls } from '../../conversation/tool-calls.js'
import type { CallResult, EncodableCall, ToolProtocol } from '../../protocols/protocol.js'
import { safeJsonLoads } from '../../protocols/safe-json-loads.js'
import { readForeignJson } from '../../util/json/foreign-json.js'
import { isJsonObject, type JsonObject, textOrJson } from '../../util/json/json.js'
import { MAX_JSON_DEPTH } from '../../util/limits.js'
import { createSlicer } from '../../util/slices/pause.js'
import type { MessageWriter } from './cycle-setup.js'

const BOUNDS = { maxValues: Number.POSITIVE_INFINITY, maxDepth: MAX_JSON_DEPTH } as const

/**
 * Writes messages in a text protocol: calls and results become the texts that the model writes and reads. The calls of
 * a message are parsed once, although every step shows all of them again.
 */
export class ProtocolWriter implements MessageWriter {
  readonly #protocol: ToolProtocol
  readonly #serverOf: (tool: string) => string | undefined
  readonly #texts = new WeakMap<Message, string>()

  /** @param serverOf the server that the protocol names with a tool */
  constructor(protocol: ToolProtocol, serverOf: (tool: string) => string | undefined) {
    this.#protocol = protocol
    this.#serverOf = serverOf
  }

  async read(messages: readonly Message[]): Promise<void> {
    const slicer = createSlicer()
    for (const message of messages) {
      if (this.#texts.has(message)) continue
      const calls: EncodableCall[] = []
      for (const { function: called } of readToolCalls(message)) {
        calls.push({ ...this.#nameOf(called.name), arguments: await argumentsIn(called.arguments) })
        await slicer.turn()
      }
      if (calls.length > 0) this.#texts.set(message, this.#protocol.encodeCalls(calls))
    }
  }

  write(messages: readonly Message[]): readonly Message[] {
    const written: Message[] = []
    const names = new Map<string, string>()
    let results: CallResult[] = []
    const flush = () => {
      written.push(...this.#protocol.encodeResults(results))
      results = []
    }
    for (const message of messages) {
      const { role, tool_call_id: id = '', content } = message
      if (role === 'tool') {
        results.push({
          call: { id, ...this.#nameOf(names.get(id) ?? '') },
          content: textOrJson(content ?? ''),
        })
        continue
      }
      flush()
      for (const call of readToolCalls(message)) names.set(call.id, call.function.name)
      const calls = this.#texts.get(message)
      written.push(calls === undefined ? message : withCallsAsText(message, calls))
    }
    flush()
    return written
  }

  #nameOf(name: string): Pick<EncodableCall, 'name' | 'server'> {
    const server = this.#serverOf(name)
    return { name, ...(server !== undefined && { server }) }
  }
}

/** The arguments of a call as `safeJsonLoads` reads them, but valid JSON in slices: only what has to be repaired is read in one piece. */
async function argumentsIn(text: string): Promise<JsonObject> {
  try {
    const value = await readForeignJson(text, BOUNDS)
    return isJsonObject(value) ? value : {}
  } catch {
    const read = safeJsonLoads(text)
    return read.ok ? read.value : {}
  }
}

function withCallsAsText({ content }: Message, calls: string): Message {
  const said = typeof content === 'string' ? content : ''
  return { role: 'assistant', content: said === '' ? calls : `${said}\n${calls}` }
}
