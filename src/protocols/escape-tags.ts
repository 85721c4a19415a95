/**
 * Text between tags that may itself hold these tags: one backslash more behind every `<` that would begin one (`<\\/x>`),
 * so that the text comes back exactly. Models hardly write this form; a history in their words does.
 */
export class TagEscape {
  private readonly pattern: RegExp

  /**
   * @param names Of the tags, opening and closing.
   * @param tokens Other tags, as they begin.
   */
  constructor(names: readonly string[], tokens: readonly string[] = []) {
    const alternatives = tokens.map(
      (token) => `${escaped(token.charAt(0))}\\\\*(?=${escaped(token.slice(1))})`,
    )
    if (names.length > 0) alternatives.push(`<\\\\*(?=/?(?:${names.map(escaped).join('|')})[\\s>=])`)
    this.pattern = new RegExp(alternatives.length === 0 ? '(?!)' : alternatives.join('|'), 'gi')
  }

  escape(text: string): string {
    return text.replace(this.pattern, (start) => `${start}\\`)
  }

  unescape(text: string): string {
    if (!text.includes('\\')) return text
    return text.replace(this.pattern, (start) => (start.length > 1 ? start.slice(0, -1) : start))
  }
}

function escaped(text: string): string {
  return text.replace(/[|\\.*+?^$(){}[\]]/g, '\\$&')
}
