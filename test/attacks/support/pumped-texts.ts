/** A text of which one piece is repeated until it is as long as wanted. */
export interface PumpedText {
  readonly prefix: string
  readonly pump: string
  readonly suffix: string
}

const PUMPS = [
  ...[
    'a',
    'A',
    '0',
    '9',
    ' ',
    '\t',
    '\n',
    '\r\n',
    '.',
    '-',
    '_',
    '/',
    '\\',
    '"',
    "'",
    '`',
    '<',
    '>',
    '{',
    '}',
    '(',
  ],
  ...[
    ')',
    '[',
    ']',
    ':',
    ';',
    ',',
    '=',
    '&',
    '%',
    '#',
    '@',
    '|',
    '*',
    '+',
    '~',
    '!',
    '?',
    '$',
    'é',
    '汉',
    '\ud800',
  ],
  ...[
    'a.',
    'a ',
    'a,',
    'a=',
    'a:',
    'a-',
    ' \n',
    '{{',
    '}}',
    '</',
    '<a',
    '\\"',
    '0.',
    '.0',
    '-a',
    '1e',
    '\\\\',
    ', ',
  ],
]
const PREFIXES = ['', 'a', '0', '-', '"', "'", '<', '{', '{{', '(', '[', '/', '#', '`', '```', ':', ' ', '\n']
const SUFFIXES = ['', 'x', '!', '\n', '\0', '"', '}', ' ']

/** What a pattern is tried with: pumps, beginnings and ends that any may fall over, and those that it names itself. */
export function pumpedTexts(pattern: RegExp): readonly PumpedText[] {
  const own = literalsOf(pattern)
  const texts: PumpedText[] = []
  for (const pump of [...PUMPS, ...own])
    for (const prefix of [...PREFIXES, ...own])
      for (const suffix of SUFFIXES) texts.push({ prefix, pump, suffix })
  return texts
}

/** Writes a text out. */
export function written({ prefix, pump, suffix }: PumpedText, length: number): string {
  return prefix + pump.repeat(Math.ceil(length / pump.length)) + suffix
}

/** The words and signs of a pattern's source, as somebody would try who reads it. */
function literalsOf({ source }: RegExp): readonly string[] {
  const words = source
    .replace(/\\[dDwWsSbBpP](?:\{[^}]*\})?|\(\?[:=!<]*(?:\w+>)?|\[[^\]]*\]|\{[\d,]*\}/g, '\0')
    .replace(/\\(.)/g, '$1')
    .split(/[\0^$*+?()|]+/)
    .filter((word) => word !== '')
  return [...new Set(words)].slice(0, 6)
}
