import { at } from '../../util/at.js'
import { withoutTrailing } from '../../util/text/without-trailing.js'
import type { DeclaredFunction } from '../api.js'
import { Stringer } from '../format/kind.js'
import type { Value } from '../value.js'
import {
  type Civil,
  dayOfYear,
  fromEpochSeconds,
  MONTHS,
  toEpochSeconds,
  WEEKDAYS,
  weekday,
} from './calendar.js'
import { toInt64Value } from './cast.js'
import { parseLayout } from './time-layout.js'
import { UTC, type Zone, type ZoneInstant } from './time-zone.js'

const STRING_LAYOUT = '2006-01-02 15:04:05.999999999 -0700 MST'
const RFC3339_NANO = '2006-01-02T15:04:05.999999999Z07:00'
const NANOSECONDS = 1_000_000_000
/** Seconds of the year 1, Go's zero time. */
const ZERO_SECONDS = -62_135_596_800

/** A time.Time: a moment to the nanosecond, seen in a zone. */
export class GoTime extends Stringer {
  readonly seconds: number
  readonly nanoseconds: number
  readonly zone: Zone

  constructor(seconds: number, nanoseconds: number, zone: Zone) {
    super('time.Time', null)
    this.seconds = seconds
    this.nanoseconds = nanoseconds
    this.zone = zone
  }

  static fromMilliseconds(milliseconds: number, zone: Zone = UTC): GoTime {
    const seconds = Math.floor(milliseconds / 1000)
    return new GoTime(seconds, Math.round((milliseconds - seconds * 1000) * 1e6), zone)
  }

  /** This moment as a `Date`, to the millisecond. */
  toDate(): Date {
    return new Date(this.seconds * 1000 + Math.floor(this.nanoseconds / 1e6))
  }

  override text(): string {
    return this.format(STRING_LAYOUT)
  }

  /** What encoding/json writes. */
  toJSON(): string {
    return this.format(RFC3339_NANO)
  }

  override method(name: string): DeclaredFunction | undefined {
    const method = METHODS[name]
    return method === undefined ? undefined : method(this)
  }

  in(zone: Zone): GoTime {
    return new GoTime(this.seconds, this.nanoseconds, zone)
  }

  /** @param duration in nanoseconds */
  plus(duration: bigint): GoTime {
    const nanoseconds = BigInt(this.nanoseconds) + duration
    const carry = floorDivide(nanoseconds, BigInt(NANOSECONDS))
    const rest = Number(nanoseconds - carry * BigInt(NANOSECONDS))
    return new GoTime(this.seconds + Number(carry), rest, this.zone)
  }

  /** The nanoseconds from another time to this one. */
  since(other: GoTime): bigint {
    return (
      BigInt(this.seconds - other.seconds) * BigInt(NANOSECONDS) +
      BigInt(this.nanoseconds - other.nanoseconds)
    )
  }

  format(layout: string): string {
    const zone = this.zone.at(this.seconds)
    const local = this.seconds + zone.offset
    const moment: Moment = {
      civil: fromEpochSeconds(local),
      weekday: weekday(local),
      nanoseconds: this.nanoseconds,
      zone,
    }
    return parseLayout(layout)
      .map(({ text, isElement }) => (isElement ? formatElement(text, moment) : text))
      .join('')
  }

  civil(): Civil {
    return fromEpochSeconds(this.seconds + this.zone.at(this.seconds).offset)
  }
}

/** Go's zero time. */
export const ZERO_TIME = new GoTime(ZERO_SECONDS, 0, UTC)

/** An integer type with names, as time.Month and time.Weekday. */
class NamedInteger extends Stringer {
  readonly #name: string

  constructor(type: string, value: number, name: string) {
    super(type, value)
    this.#name = name
  }

  override text(): string {
    return this.#name
  }

  override method(name: string): DeclaredFunction | undefined {
    return name === 'String' ? { call: () => this.#name, parameters: [], returns: 'string' } : undefined
  }
}

interface Moment {
  readonly civil: Civil
  readonly weekday: number
  readonly nanoseconds: number
  readonly zone: ZoneInstant
}

const METHODS: Readonly<Record<string, (time: GoTime) => DeclaredFunction>> = Object.assign(
  Object.create(null),
  {
    Year: (time: GoTime) => getter(() => time.civil().year),
    Month: (time: GoTime) => getter(() => monthOf(time.civil().month)),
    Day: (time: GoTime) => getter(() => time.civil().day),
    Hour: (time: GoTime) => getter(() => time.civil().hour),
    Minute: (time: GoTime) => getter(() => time.civil().minute),
    Second: (time: GoTime) => getter(() => time.civil().second),
    Nanosecond: (time: GoTime) => getter(() => time.nanoseconds),
    YearDay: (time: GoTime) => getter(() => dayOfYear(time.civil())),
    Weekday: (time: GoTime) =>
      getter(() => weekdayOf(weekday(time.seconds + time.zone.at(time.seconds).offset))),
    Unix: (time: GoTime) => getter(() => toInt64Value(time.seconds)),
    UnixMilli: (time: GoTime) => getter(() => toInt64Value(time.since(EPOCH) / 1_000_000n)),
    UnixNano: (time: GoTime) => getter(() => toInt64Value(time.since(EPOCH))),
    UTC: (time: GoTime) => getter(() => time.in(UTC)),
    IsZero: (time: GoTime) => getter(() => time.since(ZERO_TIME) === 0n),
    String: (time: GoTime) => getter(() => time.text()),
    Format: (time: GoTime) => ({
      call: (layout: string) => time.format(layout),
      parameters: ['string'],
      returns: 'string',
    }),
    Before: (time: GoTime) => comparison((other) => time.since(other) < 0n),
    After: (time: GoTime) => comparison((other) => time.since(other) > 0n),
    Equal: (time: GoTime) => comparison((other) => time.since(other) === 0n),
    AddDate: (time: GoTime) => ({
      call: (years: number, months: number, days: number) =>
        addDate(time, Number(years), Number(months), Number(days)),
      parameters: ['int', 'int', 'int'],
    }),
  },
)

const EPOCH = new GoTime(0, 0, UTC)

function getter(call: () => Value): DeclaredFunction {
  return { call, parameters: [] }
}

function comparison(compare: (other: GoTime) => boolean): DeclaredFunction {
  return { call: compare, parameters: ['time.Time'], returns: 'bool' }
}

function monthOf(month: number): Value {
  return new NamedInteger('time.Month', month, at(MONTHS, month - 1))
}

function weekdayOf(day: number): Value {
  return new NamedInteger('time.Weekday', day, at(WEEKDAYS, day))
}

function addDate(time: GoTime, years: number, months: number, days: number): GoTime {
  const civil = time.civil()
  const moved = { ...civil, year: civil.year + years, month: civil.month + months, day: civil.day + days }
  const local = toEpochSeconds(moved)
  return new GoTime(local - time.zone.at(local).offset, time.nanoseconds, time.zone)
}

function formatElement(element: string, { civil, weekday: day, nanoseconds, zone }: Moment): string {
  switch (element) {
    case 'January':
      return at(MONTHS, civil.month - 1)
    case 'Jan':
      return at(MONTHS, civil.month - 1).slice(0, 3)
    case 'Monday':
      return at(WEEKDAYS, day)
    case 'Mon':
      return at(WEEKDAYS, day).slice(0, 3)
    case '2006':
      return padded(civil.year, 4)
    case '06':
      return padded(Math.max(civil.year, 0) % 100, 2)
    case '01':
      return padded(civil.month, 2)
    case '1':
      return String(civil.month)
    case '02':
      return padded(civil.day, 2)
    case '_2':
      return String(civil.day).padStart(2)
    case '2':
      return String(civil.day)
    case '002':
      return padded(dayOfYear(civil), 3)
    case '__2':
      return String(dayOfYear(civil)).padStart(3)
    case '15':
      return padded(civil.hour, 2)
    case '03':
      return padded(twelveHours(civil.hour), 2)
    case '3':
      return String(twelveHours(civil.hour))
    case '04':
      return padded(civil.minute, 2)
    case '4':
      return String(civil.minute)
    case '05':
      return padded(civil.second, 2)
    case '5':
      return String(civil.second)
    case 'PM':
      return civil.hour >= 12 ? 'PM' : 'AM'
    case 'pm':
      return civil.hour >= 12 ? 'pm' : 'am'
    case 'MST':
      return zone.abbreviation === '' ? formatOffset('-0700', zone.offset) : zone.abbreviation
    default:
      return /^[.,]/.test(element) ? formatFraction(element, nanoseconds) : formatOffset(element, zone.offset)
  }
}

function twelveHours(hour: number): number {
  return hour % 12 === 0 ? 12 : hour % 12
}

function padded(value: number, width: number): string {
  return (value < 0 ? '-' : '') + String(Math.abs(value)).padStart(width, '0')
}

function formatFraction(element: string, nanoseconds: number): string {
  const digits = padded(nanoseconds, 9)
    .slice(0, element.length - 1)
    .padEnd(element.length - 1, '0')
  if (element.charAt(1) === '0') return element.charAt(0) + digits
  const trimmed = withoutTrailing(digits, '0')
  return trimmed === '' ? '' : element.charAt(0) + trimmed
}

function formatOffset(element: string, offset: number): string {
  if (element.startsWith('Z') && offset === 0) return 'Z'
  const seconds = Math.abs(offset)
  const separator = element.includes(':') ? ':' : ''
  const parts = [padded(Math.trunc(seconds / 3600), 2)]
  if (element.length > 3) parts.push(padded(Math.trunc(seconds / 60) % 60, 2))
  if (element.length > 6) parts.push(padded(seconds % 60, 2))
  return (offset < 0 ? '-' : '+') + parts.join(separator)
}

function floorDivide(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor
  return value % divisor < 0n ? quotient - 1n : quotient
}
