/** What a YAML parser says of a text. */
interface YamlMistake {
  readonly code: string
  readonly message: string
}

/** A mistake of YAML in the words of somebody who writes prompts. */
export interface ExplainedYaml {
  readonly message: string
  /** What to write instead. */
  readonly hint?: string
}

const BLOCK = 'write |- after the colon, and the text indented on the next line'
/** What to write in place of a text that YAML reads as something else. */
export const QUOTE = `put it in quotes, or ${BLOCK}`
/** A line that gives a value to a name: the value. */
const VALUE = /^\s*(?:- +)*(?:"[^"]*"|'[^']*'|[^\s"'#][^:]*?):\s+(\S.*)$/
/** Characters of a line that are looked at for its value. */
const MAX_LINE = 1_000
/** A value that begins with this character is not a plain scalar. */
const SPECIAL = /^(?:\{\{|[@`%*&![\]{}|>?-])/

/** Explains why a text is not YAML. Most often it is a prompt's text that should be in quotes or in a block. */
export function explainYaml(mistake: YamlMistake, text: string, offset: number): ExplainedYaml {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  const end = text.indexOf('\n', offset)
  const line = text.slice(start, end < 0 ? text.length : end)
  const value = VALUE.exec(line.slice(0, MAX_LINE))?.[1] ?? ''
  return byCode(mistake, text.slice(offset), line) ?? byValue(mistake, value) ?? asItIs(mistake)
}

function byCode({ code, message }: YamlMistake, rest: string, line: string): ExplainedYaml | undefined {
  switch (code) {
    case 'MULTIPLE_DOCS':
      return {
        message: 'a second document begins here, and a file holds one',
        hint: 'remove the line ---, or move what follows into a file of its own',
      }
    case 'TAB_AS_INDENT':
      return { message: 'this line is indented with a tab', hint: 'indent it with spaces' }
    case 'DUPLICATE_KEY':
      return { message: `the field "${/^[^:\n]*/.exec(rest)?.[0].trim() ?? ''}" is written twice` }
    case 'BAD_DQ_ESCAPE':
      return {
        message: `"${rest.slice(0, 2)}" means nothing in double quotes`,
        hint: `write "\\\\" for a backslash, or ${BLOCK}`,
      }
    case 'MULTILINE_IMPLICIT_KEY':
      return /^\s*[\w.-]+:\S/.test(line)
        ? { message: 'a blank is missing after the colon' }
        : { message: 'this line is not a field', hint: 'write a field as name: value' }
    case 'MISSING_CHAR':
      return /closing ["']/.test(message) ? { message: 'a text in quotes is not closed' } : undefined
    case 'BAD_INDENT': {
      const bracket = /end with a ([\]}])/.exec(message)?.[1]
      if (bracket !== undefined) return { message: `"${bracket}" is missing` }
      return { message: 'this line is not indented like those that it belongs to' }
    }
    default:
      return undefined
  }
}

function byValue({ code }: YamlMistake, value: string): ExplainedYaml | undefined {
  const beginning = SPECIAL.exec(value)?.[0]
  if (beginning === '|' || beginning === '>')
    return { message: `the text after "${beginning}" begins on the next line` }
  if (beginning !== undefined) return { message: `a text cannot begin with "${beginning}"`, hint: QUOTE }
  const quote = /^["']/.exec(value)?.[0]
  if (quote !== undefined)
    return {
      message: `the text ends at its second ${quote === '"' ? '"' : "'"}, and more follows`,
      hint: `write ${quote === '"' ? '\\"' : "''"} for a quote inside, or ${BLOCK}`,
    }
  if (code !== 'BLOCK_AS_IMPLICIT_KEY') return undefined
  if (value.includes(': ') || value.endsWith(':'))
    return { message: 'a text cannot have ": " in it', hint: QUOTE }
  return { message: 'the next line is indented deeper, and this field has a value already', hint: BLOCK }
}

function asItIs({ message }: YamlMistake): ExplainedYaml {
  return { message: message.charAt(0).toLowerCase() + message.slice(1) }
}
