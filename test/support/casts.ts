/** Comments, and strings of one line. */
const NO_CODE = /\/\*[\s\S]*?\*\/|\/\/.*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\\n]|\\.)*`/g
/** `value as Type`, also on a line of its own; not `as const`, nor the `as` of imports and exports. */
const CAST = /[\w)\]}!'"`]\s+as\s+(?!const\b)(?=[\w({[])/g
const NAMES = /(?:^|\n)(?:import|export)(?: type)?\s*(?:\*|\{[^}]*\})[^\n]*/g

/** How often a file says `as` of a type, told from its text. */
export function countCasts(text: string): number {
  const code = text.replace(NO_CODE, (found) => (found.startsWith('/') ? '' : "''")).replace(NAMES, '\n')
  return [...code.matchAll(CAST)].length
}
