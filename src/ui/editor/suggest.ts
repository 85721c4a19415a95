/** What the service knows that templates can name. */
export interface Known {
  /** Dotted: `variables.name`, `team.rules`. */
  readonly paths: readonly string[]
  /** Functions and tools. */
  readonly calls: readonly string[]
  /** Prompts that can be included. */
  readonly prompts: readonly string[]
}

/** Completions at a place, best first. */
export interface Suggestion {
  readonly from: number
  readonly options: readonly string[]
}

/** Words of the template language itself. */
export const KEYWORDS = [
  ...['if', 'else', 'end', 'range', 'with', 'define', 'block', 'template', 'break', 'continue'],
  ...['and', 'or', 'not', 'eq', 'ne', 'lt', 'le', 'gt', 'ge', 'len', 'index', 'slice', 'print', 'printf'],
  ...['println', 'html', 'js', 'urlquery', 'call'],
]

const MAX_OPTIONS = 30

/** What may come at the end of a text that somebody writes; undefined outside of an action, or where nothing fits. */
export function suggest(text: string, known: Known): Suggestion | undefined {
  const open = text.lastIndexOf('{{')
  const action = text.slice(open + 2)
  if (open < 0 || action.includes('}}') || /^[-\s]*\/\*/.test(action)) return undefined
  const included = /\b(?:template|include|block)\s+"([^"]*)$/.exec(action)?.[1]
  if (included !== undefined) return offer(text, included, known.prompts)
  // Inside of a text nothing is offered.
  if ((action.match(/"/g)?.length ?? 0) % 2 === 1) return undefined
  const path = /(?:^|[\s(|])\.([\w.]*)$/.exec(action)?.[1]
  if (path !== undefined) return offerPath(text, path, known.paths)
  const word = /(?:^|[\s(|-])([A-Za-z_]\w*)$/.exec(action)?.[1]
  return word === undefined ? undefined : offer(text, word, [...known.calls, ...KEYWORDS])
}

/** The next names of paths that begin as this one does. */
function offerPath(text: string, path: string, paths: readonly string[]): Suggestion | undefined {
  const start = path.lastIndexOf('.') + 1
  const [parent, written] = [path.slice(0, start), path.slice(start)]
  const below = paths.filter((each) => each.startsWith(parent))
  const names = below.map((each) => each.slice(start).split('.', 1)[0] ?? '')
  return offer(text, written, [...new Set(names)])
}

function offer(text: string, written: string, names: readonly string[]): Suggestion | undefined {
  const lowered = written.toLowerCase()
  const options = [...new Set(names)]
    .filter((name) => name !== written && name.toLowerCase().startsWith(lowered))
    .slice(0, MAX_OPTIONS)
  return options.length === 0 ? undefined : { from: text.length - written.length, options }
}
