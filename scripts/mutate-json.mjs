// Changes one decision of the scanner of JSON text, and of what rides on it, in a copy, and says whether the tests notice.
// node scripts/mutate-json.mjs [name…]; exits with 1 if one of them is not noticed.
import { openMutatedCopy, tryMutants } from './mutated-copy.mjs'

const TESTS = [
  'unit/util/json/cursor.test.ts',
  'unit/util/json/json-scanner.test.ts',
  'unit/util/json/parse-in-pieces.test.ts',
]
const CURSOR = 'src/util/json/cursor.ts'
const SCANNER = 'src/util/json/json-scanner.ts'
const FIRST = 'src/util/json/first-json.ts'
const LOCATE = 'src/registry/locate-json.ts'

/** A decision: the file, what it says, and what stands there without it. */
const MUTANTS = {
  'quotes among the stops': [CURSOR, 'stops[DOUBLE_QUOTE] = 1', ''],
  'an escaped quote behind most strings': [
    CURSOR,
    'if (quote !== -1 && text.charCodeAt(quote - 1) !== BACKSLASH)',
    'if (quote !== -1)',
  ],
  'the inside of a string that is left': [CURSOR, 'this.isInString = true', 'this.isInString = false'],
  'the end of a string': [CURSOR, 'this.at = at\n      this.isInString = false', 'this.at = at'],
  'a backslash at the end of a text': [CURSOR, 'this.isEscaped = isEscaped', 'this.isEscaped = false'],
  'what the backslash before escapes': [
    CURSOR,
    'this.isEscaped = false\n      at += 1',
    'this.isEscaped = false',
  ],
  'a text without what is escaped': [CURSOR, 'if (this.isEscaped && at < end)', 'if (this.isEscaped)'],
  'a backslash that escapes once': [
    CURSOR,
    'if (this.isEscaped && at < end) {\n      this.isEscaped = false',
    'if (this.isEscaped && at < end) {',
  ],
  'backslashes of this text alone': [
    CURSOR,
    'endsEscaping(text, at, quote === -1 ? text.length : quote)',
    'endsEscaping(text, 0, quote === -1 ? text.length : quote)',
  ],
  'escaped quotes inside of a string': [CURSOR, 'if (isEscaped) continue', ''],
  'the end of a piece inside of a string': [
    CURSOR,
    'while (at < end) {\n      // Far',
    'for (;;) {\n      // Far',
  ],
  'where it was left without a stop': [CURSOR, 'this.at = at\n    return NO_MORE', 'return NO_MORE'],
  'where it was left in a string': [CURSOR, 'this.at = at\n    return false', 'return false'],
  'the end of a text in a string': [CURSOR, 'this.at = text.length', ''],
  'pairs of backslashes': [CURSOR, '(to - at) % 2 === 1', 'to > at'],
  'where backslashes may begin': [CURSOR, 'while (at > from && text', 'while (text'],
  'escaped quotes of a string in one piece': [
    CURSOR,
    'while (quote !== -1 && endsEscaping',
    'if (false && endsEscaping',
  ],
  'a string that does not end': [CURSOR, 'quote === -1 ? undefined : quote + 1', 'quote + 1'],
  'blanks that are spaces': [CURSOR, '<= SPACE', '< SPACE'],
  'blanks that are none': [CURSOR, '[ \\t\\r\\n]*/y', '\\s*/y'],
  'names that count': [SCANNER, 'code === COMMA || code === COLON', 'code === COMMA'],
  'brackets that count': [SCANNER, 'this.values += 1\n    this.depth', 'this.depth'],
  'closing brackets': [SCANNER, 'if (this.depth > 0) this.depth -= 1', ''],
  'brackets that close nothing': [SCANNER, 'if (this.depth > 0) this.depth', 'this.depth'],
  'the deepest level': [SCANNER, 'this.depth > this.bounds.maxDepth', 'this.depth >= this.bounds.maxDepth'],
  'the most values': [SCANNER, 'this.values > maxValues', 'this.values >= maxValues'],
  'the most lists and objects': [SCANNER, 'this.containers > max', 'this.containers >= max'],
  'the longest number': [SCANNER, 'if (end === limit)', 'if (end === limit - 1)'],
  'signs of exponents': [SCANNER, ' ||\n    code === PLUS', ''],
  'large exponents': [
    SCANNER,
    'Math.abs(number) === Number.POSITIVE_INFINITY',
    'number === Number.POSITIVE_INFINITY',
  ],
  'numbers as names': [SCANNER, ' || this.isName(end)', ''],
  'the price of large integers': [SCANNER, 'this.values += VALUES_PER_LARGE_INTEGER - 1', ''],
  'what is large': [
    SCANNER,
    'this.values - before > LARGE_CONTAINER',
    'this.values - before >= LARGE_CONTAINER',
  ],
  'lists in an object that is looked for': [
    FIRST,
    'code === OBJECT_OPEN || code === LIST_OPEN',
    'code === OBJECT_OPEN',
  ],
  'the depth of what is found': [FIRST, 'if (this.depth > this.deepest) ', ''],
  'a tag in what is looked for': [FIRST, 'at = scan.scan(text, at + 1)', 'break'],
  'the last of two names': [LOCATE, '=== name) found =', '=== name && !found) found ='],
  'blanks around a colon': [LOCATE, 'skipBlank(text, skipBlank(text, end) + 1)', 'skipBlank(text, end + 1)'],
  'an index beyond the list': [LOCATE, "at >= text.length || text[at] === ']'", 'at >= text.length'],
}

tryMutants(openMutatedCopy(TESTS), MUTANTS)
