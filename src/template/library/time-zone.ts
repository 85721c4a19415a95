/** What a zone says about one moment. */
export interface ZoneInstant {
  /** Seconds east of UTC. */
  readonly offset: number
  readonly abbreviation: string
}

/** A time zone: offsets by moment, in seconds since 1970. */
export interface Zone {
  at(epochSeconds: number): ZoneInstant
}

const UTC_INSTANT: ZoneInstant = { offset: 0, abbreviation: 'UTC' }

/** Coordinated universal time; also what `Local` means here, so that every replica renders the same. */
export const UTC: Zone = { at: () => UTC_INSTANT }

/** Abbreviations that Intl does not know and prompts may show. */
const ABBREVIATIONS: ReadonlyMap<string, string> = new Map([
  ['Asia/Shanghai', 'CST'],
  ['Asia/Chongqing', 'CST'],
  ['Asia/Taipei', 'CST'],
  ['Asia/Macau', 'CST'],
  ['Asia/Hong_Kong', 'HKT'],
  ['Asia/Tokyo', 'JST'],
  ['Asia/Seoul', 'KST'],
  ['Asia/Kolkata', 'IST'],
  ['Asia/Calcutta', 'IST'],
  ['Asia/Karachi', 'PKT'],
  ['Asia/Jakarta', 'WIB'],
  ['Asia/Manila', 'PST'],
  ['Africa/Johannesburg', 'SAST'],
  ['Africa/Lagos', 'WAT'],
  ['Africa/Nairobi', 'EAT'],
  ['Africa/Cairo', 'EET'],
  ['Europe/Moscow', 'MSK'],
])
/** Locales that between them name most zones. */
const NAMING_LOCALES = ['en-US', 'en-GB', 'en-AU', 'en-NZ', 'en-ZA']
const HOUR = 3600

/** A zone of a constant offset, as a parsed `+0200` gives. */
export function fixedZone(offset: number, abbreviation: string): Zone {
  const instant = { offset, abbreviation }
  return { at: () => instant }
}

/** time.LoadLocation by way of Intl; undefined for an unknown zone. */
export function loadZone(name: string): Zone | undefined {
  if (name === '' || name === 'UTC' || name === 'Local') return UTC
  const offsets = formatter('en-US', name, 'longOffset')
  if (offsets === undefined) return undefined
  return {
    at(epochSeconds) {
      const offset = parseOffset(zoneName(offsets, epochSeconds))
      return { offset, abbreviation: abbreviationOf(name, offset, epochSeconds) }
    },
  }
}

function formatter(
  locale: string,
  timeZone: string,
  timeZoneName: 'longOffset' | 'short',
): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat(locale, { timeZone, timeZoneName })
  } catch {
    return undefined
  }
}

function zoneName(format: Intl.DateTimeFormat, epochSeconds: number): string {
  const parts = format.formatToParts(epochSeconds * 1000)
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
}

/** `GMT+05:30` to seconds. */
function parseOffset(text: string): number {
  const match = /([+-])(\d+):(\d+)(?::(\d+))?/.exec(text.replace('\u2212', '-'))
  if (match === null) return 0
  const seconds = Number(match[2]) * HOUR + Number(match[3]) * 60 + Number(match[4] ?? 0)
  return match[1] === '-' ? -seconds : seconds
}

function abbreviationOf(name: string, offset: number, epochSeconds: number): string {
  const known = ABBREVIATIONS.get(name)
  if (known !== undefined) return known
  for (const locale of NAMING_LOCALES) {
    const format = formatter(locale, name, 'short')
    const text = format === undefined ? '' : zoneName(format, epochSeconds)
    if (/^[A-Z]{3,5}$/.test(text)) return text
  }
  return numericAbbreviation(offset)
}

/** The zone database's own way to name a zone without letters: `+08`, `+0545`. */
function numericAbbreviation(offset: number): string {
  const minutes = Math.trunc(Math.abs(offset) / 60)
  const hours = String(Math.trunc(minutes / 60)).padStart(2, '0')
  const rest = minutes % 60 === 0 ? '' : String(minutes % 60).padStart(2, '0')
  return (offset < 0 ? '-' : '+') + hours + rest
}
