import type { Message } from './message.js'

/** What a message says in words: its text, or its text parts one after another; other parts say nothing. */
export function messageText({ content }: Pick<Message, 'content'>): string {
  if (typeof content === 'string') return content
  return (content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('')
}
