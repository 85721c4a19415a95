/** Patterns that are not linear, and why nobody can make that felt: what they read is short, or is our own. */
export const BOUNDED: ReadonlyMap<string, string> = new Map([
  ['/(?:=| .*)?>$/', 'tags that the table of families itself names'],
  ['/hunyuan.*a13b|apriel/', 'the name of a model, of which 200 characters are looked at'],
  ['/hunyuan(?!.*a13b)|hy-?3/', 'the name of a model, of which 200 characters are looked at'],
  [
    String.raw`/^(?:\S.*|\s+[\w$]+ = )?\brequire\((["'])([^"']+)\1\)/gm`,
    'files of installed packages, read at the start',
  ],
  [
    String.raw`/^\s*(?:- +)*(?:"[^"]*"|'[^']*'|[^\s"'#][^:]*?):\s+(\S.*)$/`,
    'a line of YAML, of which 1,000 characters are looked at',
  ],
])
