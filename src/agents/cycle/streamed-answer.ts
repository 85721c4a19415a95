import { StreamCollector } from '../../llm/chat/stream-collector.js'
import type { StreamEvent } from '../../llm/chat/stream-event.js'
import { PartList } from '../../protocols/part-list.js'
import type { Part, TextParser, ToolProtocol } from '../../protocols/protocol.js'
import type { Tool } from '../../tools/toolbox.js'
import { TextSlicer } from '../../util/slices/text-slicer.js'
import { cutText } from '../../util/text/cut-text.js'
import type { CycleSetup } from './cycle-setup.js'

/**
 * An answer while it is streamed. Words go to the turn's readers at once, without any tag of the protocol; all that was
 * said is there at the end. Others are let in while much comes at once.
 */
export class StreamedAnswer {
  readonly #collector = new StreamCollector()
  readonly #list = new PartList()
  readonly #slicer = new TextSlicer()
  readonly #parser: TextParser | undefined
  readonly #emit: CycleSetup['emit']

  constructor(protocol: ToolProtocol | undefined, tools: readonly Tool[], emit: CycleSetup['emit']) {
    this.#parser = protocol?.parser(tools)
    this.#emit = emit
  }

  /**
   * @returns what to wait for before the next one, if anything
   * @throws ServiceError of an `error` event; or rejects with it
   */
  add(event: StreamEvent): Promise<void> | undefined {
    this.#collector.add(event)
    // Of several choices the first counts.
    if ('index' in event && event.index !== 0) return undefined
    if (event.kind === 'reasoning') this.#emit({ type: 'reasoning.delta', text: event.text })
    if (event.kind !== 'text') return undefined
    const pieces = this.#parser === undefined ? [event.text] : cutText(event.text)
    return pieces.length === 1 ? this.#say(event.text) : this.#sayAll(pieces)
  }

  /** The stream is over. */
  end() {
    if (this.#parser !== undefined) this.#take(this.#parser.end())
    return { completion: this.#collector.completion(), parts: this.#list.parts }
  }

  async #sayAll(pieces: readonly string[]): Promise<void> {
    for (const piece of pieces) {
      const turn = this.#say(piece)
      if (turn !== undefined) await turn
    }
  }

  #say(text: string): Promise<void> | undefined {
    if (this.#parser === undefined) this.#emit({ type: 'text.delta', text })
    else this.#take(this.#parser.push(text))
    return this.#slicer.turn(text.length)
  }

  #take(parts: readonly Part[]): void {
    for (const part of parts) {
      if (part.kind === 'text') this.#emit({ type: 'text.delta', text: part.text })
      if (part.kind === 'reasoning') this.#emit({ type: 'reasoning.delta', text: part.text })
    }
    this.#list.add(parts)
  }
}
