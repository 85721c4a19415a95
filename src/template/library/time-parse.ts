import { GoError } from '../format/go-error.js'
import { daysInMonth, MONTHS, toEpochSeconds, WEEKDAYS } from './calendar.js'
import { GoTime } from './go-time.js'
import { quoteAscii } from './quote-ascii.js'
import { parseLayout } from './time-layout.js'
import { fixedZone, UTC, type Zone } from './time-zone.js'

const HALVES = ['AM', 'PM'] as const

/** What has been read so far; −1 where nothing was. */
interface Fields {
  year: number
  month: number
  day: number
  dayOfYear: number
  hour: number
  minute: number
  second: number
  nanoseconds: number
  half: 'AM' | 'PM' | undefined
  isUtc: boolean
  offset: number | undefined
  zoneName: string
}

const NANOSECOND_DIGITS = 9
/** The `.` and two numbers of a fraction. */
const FRACTION = /^[.,][0-9]+/
const ZONE_NAME =
  /^(?:ChST|MeST|GMT(?:[+-][0-9]{1,2})?|[+-][0-9]{1,2}|[A-Z]{4}T(?![A-Z])|[A-Z]{3}T(?![A-Z])|WITA(?![A-Z])|[A-Z]{3}(?![A-Z]))/

/** time.ParseInLocation in UTC. @throws GoError with Go's ParseError */
export function parseTime(layout: string, value: string): GoTime {
  const parser = new TimeParser(layout, value)
  return parser.parse()
}

class TimeParser {
  readonly #layout: string
  readonly #value: string
  #rest: string
  readonly #fields: Fields = {
    year: 0,
    month: -1,
    day: -1,
    dayOfYear: -1,
    hour: 0,
    minute: 0,
    second: 0,
    nanoseconds: 0,
    half: undefined,
    isUtc: false,
    offset: undefined,
    zoneName: '',
  }

  constructor(layout: string, value: string) {
    this.#layout = layout
    this.#value = value
    this.#rest = value
  }

  parse(): GoTime {
    const pieces = parseLayout(this.#layout)
    for (const [i, { text, isElement }] of pieces.entries()) {
      if (isElement) this.#element(text, pieces[i + 1]?.text ?? '')
      else this.#literal(text)
    }
    if (this.#rest !== '') throw this.#failure(`: extra text: ${quoteAscii(this.#rest)}`)
    this.#resolveHour()
    this.#resolveDay()
    return this.#toTime()
  }

  #failure(message: string): GoError {
    return new GoError(`parsing time ${quoteAscii(this.#value)}${message}`)
  }

  #mismatch(element: string, rest: string): GoError {
    return this.#failure(
      ` as ${quoteAscii(this.#layout)}: cannot parse ${quoteAscii(rest)} as ${quoteAscii(element)}`,
    )
  }

  #literal(text: string): void {
    let prefix = text
    while (prefix !== '') {
      if (prefix.startsWith(' ')) {
        if (this.#rest !== '' && !this.#rest.startsWith(' ')) throw this.#mismatch(text, this.#rest)
        prefix = prefix.replace(/^ +/, '')
        this.#rest = this.#rest.replace(/^ +/, '')
      } else if (this.#rest.startsWith(prefix.charAt(0))) {
        prefix = prefix.slice(1)
        this.#rest = this.#rest.slice(1)
      } else throw this.#mismatch(text, this.#rest)
    }
  }

  #element(element: string, next: string): void {
    const fields = this.#fields
    switch (element) {
      case '2006':
        fields.year = this.#take(element, /^[0-9]{4}/)
        return
      case '06': {
        const year = this.#take(element, /^[0-9]{2}/)
        fields.year = year >= 69 ? year + 1900 : year + 2000
        return
      }
      case 'January':
        fields.month = this.#lookup(element, MONTHS)
        return
      case 'Jan':
        fields.month = this.#lookup(
          element,
          MONTHS.map((name) => name.slice(0, 3)),
        )
        return
      case '01':
      case '1':
        fields.month = this.#ranged(element, 1, 12, 'month')
        return
      case 'Monday':
        this.#lookup(element, WEEKDAYS)
        return
      case 'Mon':
        this.#lookup(
          element,
          WEEKDAYS.map((name) => name.slice(0, 3)),
        )
        return
      case '02':
        fields.day = this.#take(element, /^[0-9]{2}/)
        return
      case '2':
      case '_2':
        if (element === '_2') this.#rest = this.#rest.replace(/^ /, '')
        fields.day = this.#take(element, /^[0-9]{1,2}/)
        return
      case '002':
      case '__2':
        if (element === '__2') this.#rest = this.#rest.replace(/^ {1,2}/, '')
        fields.dayOfYear = this.#take(element, element === '002' ? /^[0-9]{3}/ : /^[0-9]{1,3}/)
        return
      default:
        this.#timeElement(element, next)
    }
  }

  #timeElement(element: string, next: string): void {
    const fields = this.#fields
    switch (element) {
      case '15':
        fields.hour = this.#number(element, false, 0, 23, 'hour')
        return
      case '03':
      case '3':
        fields.hour = this.#ranged(element, 0, 12, 'hour')
        return
      case '04':
      case '4':
        fields.minute = this.#ranged(element, 0, 59, 'minute')
        return
      case '05':
      case '5':
        fields.second = this.#ranged(element, 0, 59, 'second')
        if (!/^[.,][09]/.test(next) && FRACTION.test(this.#rest)) this.#fraction(element)
        return
      case 'PM':
      case 'pm':
        this.#half(element)
        return
      case 'MST':
        this.#zoneName()
        return
      default:
        if (/^[.,]/.test(element)) this.#fractionElement(element)
        else this.#offset(element)
    }
  }

  #take(element: string, pattern: RegExp): number {
    const match = pattern.exec(this.#rest)
    if (match === null) throw this.#mismatch(element, this.#rest)
    this.#rest = this.#rest.slice(match[0].length)
    return Number(match[0])
  }

  #ranged(element: string, low: number, high: number, what: string): number {
    return this.#number(element, element.startsWith('0'), low, high, what)
  }

  #number(element: string, twoDigits: boolean, low: number, high: number, what: string): number {
    const value = this.#take(element, twoDigits ? /^[0-9]{2}/ : /^[0-9]{1,2}/)
    if (value < low || value > high) throw this.#failure(`: ${what} out of range`)
    return value
  }

  /** The position of a name, from 1, ignoring case. */
  #lookup(element: string, names: readonly string[]): number {
    const rest = this.#rest.toLowerCase()
    const at = names.findIndex((name) => rest.startsWith(name.toLowerCase()))
    if (at < 0) throw this.#mismatch(element, this.#rest)
    this.#rest = this.#rest.slice(names[at]?.length)
    return at + 1
  }

  #half(element: string): void {
    const text = this.#rest.slice(0, 2)
    const half = HALVES.find((each) => text === (element === 'PM' ? each : each.toLowerCase()))
    if (half === undefined) throw this.#mismatch(element, this.#rest)
    this.#fields.half = half
    this.#rest = this.#rest.slice(2)
  }

  #fractionElement(element: string): void {
    if (element.charAt(1) === '9') {
      if (FRACTION.test(this.#rest)) this.#fraction(element)
      return
    }
    const exact = new RegExp(`^[.,][0-9]{${element.length - 1}}`)
    if (!exact.test(this.#rest)) throw this.#mismatch(element, this.#rest)
    this.#setFraction(this.#rest.slice(0, element.length))
  }

  #fraction(element: string): void {
    const match = FRACTION.exec(this.#rest)
    if (match === null) throw this.#mismatch(element, this.#rest)
    this.#setFraction(match[0])
  }

  #setFraction(text: string): void {
    this.#fields.nanoseconds = Number(text.slice(1, 1 + NANOSECOND_DIGITS).padEnd(NANOSECOND_DIGITS, '0'))
    this.#rest = this.#rest.slice(text.length)
  }

  #zoneName(): void {
    if (this.#rest.startsWith('UTC')) {
      this.#fields.isUtc = true
      this.#rest = this.#rest.slice(3)
      return
    }
    const match = ZONE_NAME.exec(this.#rest)
    if (match === null) throw this.#mismatch('MST', this.#rest)
    this.#fields.zoneName = match[0]
    this.#rest = this.#rest.slice(match[0].length)
  }

  #offset(element: string): void {
    if (element.startsWith('Z') && this.#rest.startsWith('Z')) {
      this.#fields.isUtc = true
      this.#rest = this.#rest.slice(1)
      return
    }
    const pattern = element
      .replace(/^[Z-]/, '([+-])')
      .replace(/0[057]/g, '([0-9]{2})')
      .replace(/00/g, '([0-9]{2})')
    const match = new RegExp(`^${pattern}`).exec(this.#rest)
    if (match === null) throw this.#mismatch(element, this.#rest)
    const [, sign, hours = '0', minutes = '0', seconds = '0'] = match
    this.#checkOffset(Number(hours), Number(minutes), Number(seconds))
    const offset = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)
    this.#fields.offset = sign === '-' ? -offset : offset
    this.#rest = this.#rest.slice(match[0].length)
  }

  #checkOffset(hours: number, minutes: number, seconds: number): void {
    const wrong = seconds > 60 ? 'second' : minutes > 60 ? 'minute' : hours > 24 ? 'hour' : ''
    if (wrong !== '') throw this.#failure(`: time zone offset ${wrong} out of range`)
  }

  #resolveHour(): void {
    const fields = this.#fields
    if (fields.half === 'PM' && fields.hour < 12) fields.hour += 12
    else if (fields.half === 'AM' && fields.hour === 12) fields.hour = 0
  }

  #resolveDay(): void {
    const fields = this.#fields
    if (fields.dayOfYear >= 0) this.#resolveDayOfYear()
    if (fields.month < 0) fields.month = 1
    if (fields.day < 0) fields.day = 1
    if (fields.day < 1 || fields.day > daysInMonth(fields.year, fields.month)) {
      throw this.#failure(': day out of range')
    }
  }

  #resolveDayOfYear(): void {
    const fields = this.#fields
    let month = 1
    let day = fields.dayOfYear
    while (month < 12 && day > daysInMonth(fields.year, month)) day -= daysInMonth(fields.year, month++)
    if (day < 1 || day > daysInMonth(fields.year, month)) throw this.#failure(': day-of-year out of range')
    if (fields.month >= 0 && fields.month !== month) throw this.#failure(': day-of-year does not match month')
    if (fields.day >= 0 && fields.day !== day) throw this.#failure(': day-of-year does not match day')
    fields.month = month
    fields.day = day
  }

  #toTime(): GoTime {
    const { offset, isUtc, zoneName, nanoseconds } = this.#fields
    const seconds = toEpochSeconds(this.#fields)
    if (isUtc) return new GoTime(seconds, nanoseconds, UTC)
    if (offset !== undefined) return new GoTime(seconds - offset, nanoseconds, zoneOf(offset, zoneName))
    if (zoneName === '') return new GoTime(seconds, nanoseconds, UTC)
    // A name alone does not determine an offset; Go invents a zone of offset 0, and moves the time for no name.
    const invented = /^GMT[+-]/.test(zoneName) ? Number(zoneName.slice(3)) * 3600 : 0
    return new GoTime(seconds, nanoseconds, fixedZone(invented, zoneName))
  }
}

function zoneOf(offset: number, name: string): Zone {
  return offset === 0 && (name === '' || name === 'UTC') ? UTC : fixedZone(offset, name)
}
