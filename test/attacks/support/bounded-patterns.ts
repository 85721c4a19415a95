/** Patterns that are not linear, and why nobody can make that felt: what they read is short, or is our own. */
export const BOUNDED: ReadonlyMap<string, string> = new Map([
  ['/(?:=| .*)?>$/', 'tags that the table of families itself names'],
  [
    String.raw`/^(?:\S.*|\s+[\w$]+ = )?\brequire\((["'])([^"']+)\1\)/gm`,
    'files of installed packages, read at the start',
  ],
])
