/**
 * Text between tags that may itself hold these tags: one backslash more behind every `<` that would begin one (`<\\/x>`),
 * so that the text comes back exactly. Models hardly write this form; a history in their words does.
 */
export class TagEscape {
  private readonly pattern: RegExp
  /** What escaped tags begin with. */
  private readonly marks: readonly string[]

  /**
   * @param names Of the tags, opening and closing.
   * @param tokens Other tags, as they begin.
   */
  constructor(names: readonly string[], tokens: readonly string[] = []) {
    const leads = new Set(tokens.map((token) => token.charAt(0)))
    const alternatives = [...leads].map((lead) => {
      const rest = tokens.filter((token) => token.startsWith(lead)).map((token) => escaped(token.slice(1)))
      return `${escaped(lead)}\\\\*(?=${rest.join('|')})`
    })
    if (names.length > 0) alternatives.push(`<\\\\*(?=/?(?:${names.map(escaped).join('|')})[\\s>=])`)
    this.marks = [...leads, ...(names.length > 0 ? ['<'] : [])].map((lead) => `${lead}\\`)
    this.pattern = new RegExp(alternatives.length === 0 ? '(?!)' : alternatives.join('|'), 'gi')
  }

  escape(text: string): string {
    return text.replace(this.pattern, (start) => `${start}\\`)
  }

  unescape(text: string): string {
    if (!text.includes('\\')) return text
    for (const mark of this.marks) if (text.includes(mark)) return this.unescaped(text)
    return text
  }

  private unescaped(text: string): string {
    return text.replace(this.pattern, (start) => (start.length > 1 ? start.slice(0, -1) : start))
  }
}

function escaped(text: string): string {
  return text.replace(/[|\\.*+?^$(){}[\]]/g, '\\$&')
}
