/** One piece of a Go layout: text, or an element of the reference time. */
export interface LayoutPiece {
  readonly text: string
  /** False for literal text. */
  readonly isElement: boolean
}

/** Elements that start a match at their first character; longer ones first. */
const ELEMENTS: readonly string[] = [
  'January',
  'Jan',
  'Monday',
  'Mon',
  'MST',
  '2006',
  '__2',
  '_2006',
  '_2',
  '002',
  '01',
  '02',
  '03',
  '04',
  '05',
  '06',
  '15',
  'PM',
  'pm',
  '-070000',
  '-07:00:00',
  '-0700',
  '-07:00',
  '-07',
  'Z070000',
  'Z07:00:00',
  'Z0700',
  'Z07:00',
  'Z07',
  '1',
  '2',
  '3',
  '4',
  '5',
]
const FRACTION = /^[.,](?:0+|9+)(?![0-9])/
const FIRST_CHARACTERS = new Set([...ELEMENTS.map((element) => element.charAt(0)), '.', ','])

/** Cuts a layout into its pieces as time.nextStdChunk does. */
export function parseLayout(layout: string): readonly LayoutPiece[] {
  const pieces: LayoutPiece[] = []
  let literal = ''
  let at = 0
  while (at < layout.length) {
    const element = elementAt(layout, at)
    if (element === '_2006') literal += '_'
    const text = element === '_2006' ? '2006' : element
    if (text === '') literal += layout.charAt(at)
    else {
      if (literal !== '') pieces.push({ text: literal, isElement: false })
      literal = ''
      pieces.push({ text, isElement: true })
    }
    at += Math.max(element.length, 1)
  }
  if (literal !== '') pieces.push({ text: literal, isElement: false })
  return pieces
}

function elementAt(layout: string, at: number): string {
  if (!FIRST_CHARACTERS.has(layout.charAt(at))) return ''
  const fraction = FRACTION.exec(layout.slice(at))
  if (fraction !== null) return fraction[0]
  return ELEMENTS.find((element) => layout.startsWith(element, at) && isWhole(element, layout, at)) ?? ''
}

/** `Jan` in `Janet` is not an element, but `January` is also within `Januaryx`. */
function isWhole(element: string, layout: string, at: number): boolean {
  if (element !== 'Jan' && element !== 'Mon') return true
  return !/^[a-z]/.test(layout.slice(at + 3))
}
