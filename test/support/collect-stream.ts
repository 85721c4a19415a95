import type { CompletionContent } from '../../src/llm/chat/read-completion.js'
import { StreamCollector } from '../../src/llm/chat/stream-collector.js'
import type { StreamEvent } from '../../src/llm/chat/stream-event.js'

/** What the events of a whole stream come to. @throws ServiceError of an `error` event */
export async function collectStream(events: AsyncIterable<StreamEvent>): Promise<CompletionContent> {
  const collector = new StreamCollector()
  for await (const event of events) collector.add(event)
  return collector.completion()
}
