import type { CallScope } from '../api.js'
import { DATE_TEXT, NUMBERS } from '../cost.js'
import { GoError } from '../format/go-error.js'
import { kindOf, numberOf, typeName } from '../format/kind.js'
import type { Value } from '../value.js'
import { formatDuration, parseDuration, SECOND } from './go-duration.js'
import { GoTime, ZERO_TIME } from './go-time.js'
import { anything, definer, type LibraryFunction } from './library-function.js'
import { clampedInt64 } from './number-text.js'
import { parseTime } from './time-parse.js'
import { loadZone, UTC, type Zone } from './time-zone.js'

const define = definer('Dates', DATE_TEXT)
const HTML_LAYOUT = '2006-01-02'
const EPOCH_TYPES = new Set(['int', 'int32', 'int64'])
const ROUNDED_UNITS: readonly (readonly [bigint, string])[] = [
  [SECOND * 3600n * 24n * 365n, 'y'],
  [SECOND * 3600n * 24n * 30n, 'mo'],
  [SECOND * 3600n * 24n, 'd'],
  [SECOND * 3600n, 'h'],
  [SECOND * 60n, 'm'],
  [SECOND, 's'],
]

/** Functions of dates; layouts show Go's reference time, Mon Jan 2 15:04:05 MST 2006, and local time is UTC. */
export const DATE_FUNCTIONS: readonly LibraryFunction[] = [
  define('now', 'The time of the render.', {
    parameters: [],
    scoped: true,
    call: (scope: CallScope) => GoTime.fromMilliseconds(scope.now()),
    example: '{{now.IsZero}}',
  }),
  define(
    'date layout time',
    'A time, or seconds since 1970, in a layout; of anything else, text included, the time of the render.',
    {
      parameters: ['string', 'any'],
      returns: 'string',
      scoped: true,
      call: (scope: CallScope, layout: string, time: Value) => toTime(scope, time).in(UTC).format(layout),
      example: '{{date "2006-01-02" 1136214245}}',
    },
  ),
  define('dateInZone layout time zone', 'As date, in a zone such as Europe/Paris.', {
    parameters: ['string', 'any', 'string'],
    returns: 'string',
    scoped: true,
    aliases: ['date_in_zone'],
    call: dateInZone,
    example: '{{dateInZone "15:04 MST" 1136214245 "America/New_York"}}',
  }),
  define('htmlDate time', 'A date as HTML forms write it.', {
    parameters: anything(1),
    returns: 'string',
    scoped: true,
    call: (scope: CallScope, time: Value) => toTime(scope, time).in(UTC).format(HTML_LAYOUT),
    example: '{{htmlDate 1136214245}}',
  }),
  define('htmlDateInZone time zone', 'As htmlDate, in a zone.', {
    parameters: ['any', 'string'],
    returns: 'string',
    scoped: true,
    call: (scope: CallScope, time: Value, zone: string) => dateInZone(scope, HTML_LAYOUT, time, zone),
    example: '{{htmlDateInZone 1136214245 "Asia/Tokyo"}}',
  }),
  define('toDate layout text', 'The time a text gives in a layout, the zero time if it does not fit.', {
    parameters: ['string', 'string'],
    call: toDate,
    example: '{{toDate "2006-01-02" "2017-12-31" | date "02/01/2006"}}',
  }),
  define('mustToDate layout text', 'As toDate; text that does not fit is an error.', {
    parameters: ['string', 'string'],
    call: parseTime,
    example: '{{mustToDate "2006-01-02" "2017-12-31" | date "02/01/2006"}}',
  }),
  define(
    'dateModify duration time',
    'The time moved by a duration such as -1.5h; unchanged if the duration is invalid.',
    {
      parameters: ['string', 'time.Time'],
      aliases: ['date_modify'],
      call: dateModify,
      example: '{{toDate "2006-01-02" "2017-12-31" | dateModify "24h" | date "2006-01-02"}}',
    },
  ),
  define('mustDateModify duration time', 'As dateModify; an invalid duration is an error.', {
    parameters: ['string', 'time.Time'],
    aliases: ['must_date_modify'],
    call: (duration: string, time: GoTime) => time.plus(parseDuration(duration)),
    example: '{{toDate "2006-01-02" "2017-12-31" | mustDateModify "24h" | date "2006-01-02"}}',
  }),
  define('ago time', 'The duration from the time until now, in whole seconds.', {
    parameters: anything(1),
    returns: 'string',
    scoped: true,
    call: ago,
    example: '{{ago now}}',
  }),
  define('duration seconds', 'Seconds, as text or int64, as a duration.', {
    cost: NUMBERS,
    parameters: anything(1),
    returns: 'string',
    call: (seconds: Value) => formatDuration(BigInt.asIntN(64, durationSeconds(seconds) * SECOND)),
    example: '{{duration "95"}}',
  }),
  define('durationRound duration', 'A duration, or the time since a date, in its largest unit.', {
    parameters: anything(1),
    returns: 'string',
    scoped: true,
    call: (scope: CallScope, duration: Value) => roundDuration(nanosecondsOf(scope, duration)),
    example: '{{durationRound "2h10m5s"}}',
  }),
  define('unixEpoch time', 'Seconds since 1970.', {
    parameters: ['time.Time'],
    returns: 'string',
    call: (time: GoTime) => String(time.seconds),
    example: '{{toDate "2006-01-02" "2017-12-31" | unixEpoch}}',
  }),
]

/** Sprig takes a time or seconds; anything else means now. */
function toTime(scope: CallScope, value: Value): GoTime {
  if (value instanceof GoTime) return value
  if (EPOCH_TYPES.has(typeName(value))) return new GoTime(Number(numberOf(value)), 0, UTC)
  return GoTime.fromMilliseconds(scope.now())
}

function dateInZone(scope: CallScope, layout: string, time: Value, zone: string): string {
  return toTime(scope, time).in(cachedZone(zone)).format(layout)
}

/** Zones cost a formatter each, and templates use few of them, again and again. */
const zones = new Map<string, Zone>()
const MAX_ZONES = 50

function cachedZone(name: string): Zone {
  const known = zones.get(name)
  if (known !== undefined) return known
  const zone = loadZone(name) ?? UTC
  if (zones.size < MAX_ZONES) zones.set(name, zone)
  return zone
}

function toDate(layout: string, text: string): GoTime {
  try {
    return parseTime(layout, text)
  } catch (error) {
    if (error instanceof GoError) return ZERO_TIME
    throw error
  }
}

function dateModify(duration: string, time: GoTime): GoTime {
  try {
    return time.plus(parseDuration(duration))
  } catch (error) {
    if (error instanceof GoError) return time
    throw error
  }
}

function ago(scope: CallScope, value: Value): string {
  const duration = GoTime.fromMilliseconds(scope.now()).since(toTime(scope, value))
  const half = duration < 0n ? -SECOND / 2n : SECOND / 2n
  return formatDuration(((duration + half) / SECOND) * SECOND)
}

function durationSeconds(value: Value): bigint {
  if (typeof value === 'string') return clampedInt64(value)
  return typeName(value) === 'int64' ? BigInt(numberOf(value)) : 0n
}

function nanosecondsOf(scope: CallScope, value: Value): bigint {
  if (value instanceof GoTime) return GoTime.fromMilliseconds(scope.now()).since(value)
  if (typeof value === 'string') return parsedOrZero(value)
  return kindOf(value) === 'int' && typeName(value) === 'int64' ? BigInt(numberOf(value)) : 0n
}

function parsedOrZero(text: string): bigint {
  try {
    return parseDuration(text)
  } catch (error) {
    if (error instanceof GoError) return 0n
    throw error
  }
}

function roundDuration(duration: bigint): string {
  const magnitude = duration < 0n ? -duration : duration
  for (const [unit, name] of ROUNDED_UNITS) {
    if (magnitude > unit) return `${magnitude / unit}${name}`
  }
  return '0s'
}
