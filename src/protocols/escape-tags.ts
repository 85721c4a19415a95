/**
 * Text between tags that may itself hold these tags: one backslash more behind every `<` that would begin one (`<\\/x>`),
 * so that the text comes back exactly. Models hardly write this form; a history in their words does.
 */
export class TagEscape {
  private readonly pattern: RegExp

  /** @param names Of the tags, opening and closing. */
  constructor(names: readonly string[]) {
    this.pattern = new RegExp(`<(\\\\*)(?=/?(?:${names.join('|')})[\\s>=])`, 'gi')
  }

  escape(text: string): string {
    return text.replace(this.pattern, '<$1\\')
  }

  unescape(text: string): string {
    if (!text.includes('<\\')) return text
    return text.replace(this.pattern, (_, backslashes: string) => `<${backslashes.slice(1)}`)
  }
}
