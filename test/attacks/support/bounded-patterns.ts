/** Patterns that are not linear, and why nobody can make that felt: what they read is short, or is our own. */
export const BOUNDED: ReadonlyMap<string, string> = new Map([
  ['/(?:=| .*)?>$/', 'tags that the table of families itself names'],
  [
    String.raw`/^(?:\S.*|\s+[\w$]+ = )?\brequire\((["'])([^"']+)\1\)/gm`,
    'files of installed packages, read at the start',
  ],
  [
    String.raw`/^\s*(?:- +)*(?:"[^"]*"|'[^']*'|[^\s"'#][^:]*?):\s+(\S.*)$/`,
    'a line of YAML, of which 1,000 characters are looked at',
  ],
])
