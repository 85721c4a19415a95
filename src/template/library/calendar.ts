/** A date and time of day in some zone. */
export interface Civil {
  readonly year: number
  /** From 1. */
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
}

/** Names as Go writes them. */
export const MONTHS: readonly string[] = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]
/** From Sunday. */
export const WEEKDAYS: readonly string[] = [
  'Sunday',
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
]

const SECONDS_PER_DAY = 86_400
/** 1970-01-01 was a Thursday. */
const EPOCH_WEEKDAY = 4
const DAYS_PER_ERA = 146_097
const DAYS_TO_EPOCH = 719_468

/** Seconds since 1970 of a date in UTC; fields beyond their range carry over. */
export function toEpochSeconds(civil: Civil): number {
  const carried = civil.month - 1
  const year = civil.year + Math.floor(carried / 12)
  const days = daysFromCivil(year, modulo(carried, 12) + 1, 1) + civil.day - 1
  return days * SECONDS_PER_DAY + civil.hour * 3600 + civil.minute * 60 + civil.second
}

/** The date in UTC of seconds since 1970, in the proleptic Gregorian calendar. */
export function fromEpochSeconds(seconds: number): Civil {
  const rest = modulo(seconds, SECONDS_PER_DAY)
  return {
    ...civilFromDays(Math.floor(seconds / SECONDS_PER_DAY)),
    hour: Math.floor(rest / 3600),
    minute: Math.floor(rest / 60) % 60,
    second: rest % 60,
  }
}

/** 0 is Sunday. */
export function weekday(seconds: number): number {
  return modulo(Math.floor(seconds / SECONDS_PER_DAY) + EPOCH_WEEKDAY, 7)
}

/** From 1. */
export function dayOfYear({ year, month, day }: Civil): number {
  return daysFromCivil(year, month, day) - daysFromCivil(year, 1, 1) + 1
}

/** How many days a month has. */
export function daysInMonth(year: number, month: number): number {
  return month === 12 ? 31 : daysFromCivil(year, month + 1, 1) - daysFromCivil(year, month, 1)
}

/** Howard Hinnant's days_from_civil. */
function daysFromCivil(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year
  const era = Math.floor(shifted / 400)
  const yearOfEra = shifted - era * 400
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * DAYS_PER_ERA + dayOfEra - DAYS_TO_EPOCH
}

/** Howard Hinnant's civil_from_days. */
function civilFromDays(days: number): {
  readonly year: number
  readonly month: number
  readonly day: number
} {
  const shifted = days + DAYS_TO_EPOCH
  const era = Math.floor(shifted / DAYS_PER_ERA)
  const dayOfEra = shifted - era * DAYS_PER_ERA
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153)
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1,
  }
}

function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor
}
