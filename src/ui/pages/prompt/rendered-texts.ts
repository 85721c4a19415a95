import type { Message, Rendered, Span } from '../../api/shapes.js'

/** One text of what was rendered, with where its stretches come from. */
export interface RenderedText {
  readonly message: number
  readonly part?: number
  readonly role: string
  readonly text: string
  readonly spans: readonly Span[]
}

/** The texts of a rendered prompt; what has no spans is one stretch of itself. */
export function renderedTexts({ rendered_prompt: prompt, explain }: Rendered): readonly RenderedText[] {
  return messagesOf(prompt).flatMap(({ role, content }, message) => {
    const spans = explain?.spans?.[message] ?? []
    if (typeof content === 'string') return [{ message, role, text: content, spans: orWhole(content, spans) }]
    return (content ?? []).map((part, index) => {
      const { text: given } = part
      const text = typeof given === 'string' ? given : JSON.stringify(part)
      const own = spans.filter((span) => span.part === index && span.field === 'text')
      return { message, part: index, role, text, spans: orWhole(text, own) }
    })
  })
}

/** What was rendered as messages: a prompt of one text is one of the user. */
export function messagesOf(
  prompt: Rendered['rendered_prompt'],
): readonly Pick<Message, 'role' | 'content'>[] {
  return typeof prompt === 'string' ? [{ role: 'user', content: prompt }] : prompt
}

function orWhole(text: string, spans: readonly Span[]): readonly Span[] {
  if (spans.length > 0) return spans
  return [{ start: 0, end: text.length, kind: 'text', template: '', line: 1, column: 1 }]
}

/** All of a rendered prompt as one text. */
export function wholeText(rendered: Rendered): string {
  return renderedTexts(rendered)
    .map(({ role, text }) => `${role}:\n${text}`)
    .join('\n\n')
}
