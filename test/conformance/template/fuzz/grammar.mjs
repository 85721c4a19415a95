/**
 * A weighted grammar of templates. The data is at hand while a template is made, so paths mostly exist and
 * loops mostly run; a share of everything is wrong on purpose.
 */
import { isList, isMap, isNumber, randomData, toJson } from './data.mjs'

const BUILTINS = [
  'and',
  'or',
  'not',
  'eq',
  'ne',
  'lt',
  'le',
  'gt',
  'ge',
  'len',
  'index',
  'slice',
  'print',
  'printf',
  'println',
  'html',
  'js',
  'urlquery',
  'call',
]
const INTEGERS = [
  '0',
  '1',
  '2',
  '3',
  '-1',
  '10',
  '017',
  '0x1F',
  '0b11',
  '0o7',
  '1_000',
  '9223372036854775807',
  '9223372036854775808',
  '+1',
  '-0',
  '1000000',
]
const FLOATS = [
  '1.0',
  '1.5',
  '.5',
  '2.',
  '1e3',
  '1e21',
  '1e-7',
  '0x1p4',
  '-0.0',
  '3.14159',
  '1e6',
  '-2.5',
  '100000.0',
  '0.000001',
  '123456789.0',
  '1i',
  '1-2.5i',
]
const RUNES = ["'a'", "'é'", "'\\n'", "'\\''", "'😀'", "'\\x41'", "'\\u00e9'"]
const STRINGS = [
  '""',
  '"a"',
  '"abc"',
  '"é"',
  '"日本"',
  '"\\xff"',
  '"\\n\\t"',
  '`raw`',
  '`a"b`',
  '"k"',
  '"x"',
  '"10"',
  '"😀"',
  '"<&>\\""',
  '"\\u00ad"',
  '"%d"',
  '"{{"',
  '"b"',
  '"\\\\"',
  '`\\`',
]
const TEXT_PIECES = [
  '',
  ' ',
  'text',
  '\n',
  '  \n  ',
  'é',
  '日本',
  '😀',
  'a b',
  '\t',
  '}}',
  '{ ',
  '} ',
  '"',
  '\\',
  '<',
  '\u00a0',
  '\r\n',
  '-',
  '`',
  '$x',
  "'",
]
const SOUP = [
  '{{',
  '}}',
  '{{-',
  '-}}',
  '(',
  ')',
  '|',
  '.',
  '$',
  ':=',
  '=',
  ',',
  '"',
  '`',
  "'",
  'end',
  'else',
  'if',
  'range',
  'with',
  'define',
  'template',
  'block',
  'break',
  'continue',
  'nil',
  'true',
  '/*',
  '*/',
  ' ',
  '\n',
  '0',
  '1',
  'x',
  '.x',
  '$x',
  '\\',
  'é',
  '-',
  '+',
  '!',
  '@',
  ';',
  '{{/*',
  '*/}}',
  '0x',
  '1e',
  '..',
  '.5',
  'print',
  '_',
  '\u0000',
  '\ufffd',
  ':',
  '&',
  '#',
]
const VERBS = [...'vvvvvddddssssqqxXeEfFgGtcUobTO%zp!', 'é']
const NAMES = ['t0', 't1', 't2', 'a b', 'é']

/** One random case: options, JSON data and template text. */
export function randomCase(random) {
  const data = randomData(random)
  const maker = new Maker(random, data)
  let template = maker.template()
  if (random.chance(0.07)) template = mutate(random, template)
  const options = {}
  const missingKey = random.weighted({ default: 7, error: 2, zero: 1 })
  if (missingKey !== 'default') options.missingKey = missingKey
  if (random.chance(0.2)) options.print = true
  return { name: 'fuzz', options, data: toJson(data), template: Buffer.from(template) }
}

/** Small accidents: lost, doubled, swapped and foreign pieces. */
export function mutate(random, text) {
  let result = text
  for (let left = 1 + random.below(3); left > 0; left--) {
    const at = random.below(result.length + 1)
    const size = 1 + random.below(random.chance(0.7) ? 3 : 20)
    const kind = random.weighted({ drop: 3, insert: 4, double: 1, cut: 0.5 })
    if (kind === 'drop') result = result.slice(0, at) + result.slice(at + size)
    else if (kind === 'insert') result = result.slice(0, at) + random.pick(SOUP) + result.slice(at)
    else if (kind === 'double') result = result.slice(0, at + size) + result.slice(at)
    else result = result.slice(0, at)
  }
  return result.toWellFormed()
}

class Maker {
  constructor(random, data) {
    this.random = random
    this.root = data
    this.loops = 0
    this.budget = 14
    this.counter = 0
  }

  template() {
    const { random } = this
    const defined = Number(random.weighted({ 0: 5, 1: 3, 2: 1, 3: 0.5 }))
    const callable = random.chance(0.95) ? NAMES.slice(0, defined) : NAMES
    const scope = { dot: this.root, dollar: this.root, variables: [], callable }
    const defines = random.times(defined, (index) => this.define(index, callable))
    const body = this.list(scope, 3)
    const parts = random.chance(0.5) ? [...defines, body] : [body, ...defines]
    return parts.join('')
  }

  define(index, names) {
    const { random } = this
    // A template calls later names only, mostly: endless recursion is a case of its own.
    const callable = random.chance(0.97) ? names.slice(index + 1) : names
    const inner = { dot: this.someValue(), variables: [], callable }
    inner.dollar = inner.dot
    const saved = this.loops
    this.loops = 0
    const body = this.list(inner, 2)
    this.loops = saved
    return `${this.open('define')} "${NAMES[index]}"${this.close()}${body}${this.end()}`
  }

  list(scope, depth) {
    const { random } = this
    const inner = { ...scope, variables: [...scope.variables] }
    const count = random.below(depth + 2)
    return (
      random.times(count, () => this.node(inner, depth)).join('') + (random.chance(0.3) ? this.text() : '')
    )
  }

  text() {
    return this.random.times(1 + this.random.below(2), () => this.random.pick(TEXT_PIECES)).join('')
  }

  node(scope, depth) {
    const { random } = this
    this.budget--
    const nest = depth > 0 && this.budget > 0 ? 1 : 0
    const kind = random.weighted({
      text: 3,
      print: 8,
      declare: 1.5,
      assign: scope.variables.length > 0 ? 0.8 : 0.05,
      if: 2 * nest,
      with: 1.2 * nest,
      range: 2.2 * nest,
      template: scope.callable.length > 0 ? 1.2 : 0.03,
      block: 0.25 * nest,
      comment: 0.3,
      jump: this.loops > 0 ? 0.6 : 0.02,
    })
    return this[`${kind}Node`](scope, depth)
  }

  textNode() {
    return this.text()
  }

  printNode(scope, depth) {
    return `${this.open()}${this.space()}${this.pipeline(scope, depth)}${this.close()}`
  }

  declareNode(scope, depth) {
    const name = this.newName()
    const [text, sample] = this.pipelineWithSample(scope, depth)
    scope.variables.push({ name, sample })
    return `${this.open()}${name} := ${text}${this.close()}`
  }

  assignNode(scope, depth) {
    const name = scope.variables.length > 0 ? this.random.pick(scope.variables).name : '$v'
    return `${this.open()}${name} = ${this.pipeline(scope, depth)}${this.close()}`
  }

  ifNode(scope, depth) {
    const { random } = this
    const [header, inner] = this.header(scope, depth)
    let text = `${this.open('if')} ${header}${this.close()}${this.list(inner, depth - 1)}`
    if (random.chance(0.25))
      text += `${this.open('else')} if ${this.pipeline(inner, depth)}${this.close()}${this.list(inner, depth - 1)}`
    if (random.chance(0.5)) text += `${this.open('else')}${this.close()}${this.list(inner, depth - 1)}`
    return text + this.end()
  }

  withNode(scope, depth) {
    const { random } = this
    const [header, inner, sample] = this.header(scope, depth)
    let text = `${this.open('with')} ${header}${this.close()}${this.list({ ...inner, dot: sample }, depth - 1)}`
    if (random.chance(0.2))
      text += `${this.open('else')} with ${this.pipeline(inner, depth)}${this.close()}${this.list(inner, depth - 1)}`
    if (random.chance(0.4)) text += `${this.open('else')}${this.close()}${this.list(inner, depth - 1)}`
    return text + this.end()
  }

  /** Condition or value of if and with, sometimes declaring a variable. */
  header(scope, depth) {
    const [text, sample] = this.pipelineWithSample(scope, depth)
    const inner = { ...scope, variables: [...scope.variables] }
    if (!this.random.chance(0.2)) return [text, inner, sample]
    const name = this.newName()
    inner.variables.push({ name, sample })
    return [`${name} := ${text}`, inner, sample]
  }

  rangeNode(scope, depth) {
    const { random } = this
    const [text, collection] = random.chance(0.85)
      ? this.collection(scope)
      : this.pipelineWithSample(scope, depth)
    const [key, element] = this.elementOf(collection)
    const inner = { ...scope, dot: element, variables: [...scope.variables] }
    let header = text
    const form = random.weighted({ none: 5, one: 2, two: 3, assign: scope.variables.length > 0 ? 0.5 : 0 })
    if (form === 'one' || form === 'two') {
      const names = random.times(form === 'one' ? 1 : 2, () => this.newName())
      const samples = form === 'one' ? [element] : [key, element]
      names.forEach((name, index) => {
        inner.variables.push({ name, sample: samples[index] })
      })
      header = `${names.join(', ')} := ${text}`
    } else if (form === 'assign') {
      const names = random.times(1 + random.below(2), () => random.pick(scope.variables).name)
      header = `${names.join(', ')} = ${text}`
    }
    this.loops++
    let result = `${this.open('range')} ${header}${this.close()}${this.list(inner, depth - 1)}`
    this.loops--
    if (random.chance(0.3)) result += `${this.open('else')}${this.close()}${this.list(scope, depth - 1)}`
    return result + this.end()
  }

  templateNode(scope, depth) {
    const { random } = this
    const name = random.pick(scope.callable.length > 0 ? scope.callable : ['t9'])
    const argument = random.chance(0.8) ? ` ${this.pipeline(scope, depth - 1)}` : ''
    return `${this.open('template')} "${name}"${argument}${this.close()}`
  }

  blockNode(scope, depth) {
    const [text, sample] = this.pipelineWithSample(scope, depth - 1)
    const inner = { dot: sample, dollar: sample, variables: [], callable: [] }
    const saved = this.loops
    this.loops = 0
    const body = this.list(inner, depth - 1)
    this.loops = saved
    return `${this.open('block')} "b${this.counter++}" ${text}${this.close()}${body}${this.end()}`
  }

  commentNode() {
    const { random } = this
    const [left, right] = [random.chance(0.3) ? '{{- ' : '{{', random.chance(0.3) ? ' -}}' : '}}']
    return `${left}/* ${random.pick(['c', 'a\nb', '}}', '', '{{.x}}', 'é'])} */${right}`
  }

  jumpNode() {
    const jump = `${this.open(this.random.pick(['break', 'continue']))}${this.close()}`
    return this.random.chance(0.6)
      ? `{{if ${this.pipeline({ dot: this.root, dollar: this.root, variables: [], callable: [] }, 1)}}}${jump}{{end}}`
      : jump
  }

  open(word = '') {
    const { random } = this
    const mark = random.chance(0.12) ? '{{- ' : random.chance(0.1) ? '{{ ' : '{{'
    return mark + word
  }

  close() {
    const { random } = this
    return random.chance(0.12) ? ' -}}' : random.chance(0.1) ? ' }}' : '}}'
  }

  end() {
    return `${this.open('end')}${this.close()}`
  }

  space() {
    return this.random.chance(0.05) ? this.random.pick([' ', '\n', '\t', '  ']) : ''
  }

  newName() {
    return `$${this.random.pick(['v', 'x', 'i', 'e', 'é', 'k'])}`
  }

  someValue() {
    const { random, root } = this
    return isMap(root) && root.size > 0 && random.chance(0.8) ? random.pick([...root.values()]) : root
  }

  // Expressions. Each gives its text and a sample of what it may be, as a hint only.

  pipeline(scope, depth) {
    return this.pipelineWithSample(scope, depth)[0]
  }

  pipelineWithSample(scope, depth) {
    const { random } = this
    let [text, sample] = this.command(scope, depth)
    while (random.chance(0.13)) {
      text += `${random.chance(0.9) ? ' | ' : '|'}${this.filter(scope, depth)}`
      sample = 'text'
    }
    return [text, sample]
  }

  command(scope, depth) {
    return this.random.chance(depth > 0 ? 0.5 : 0.2)
      ? [this.call(scope, depth), 'text']
      : this.operand(scope, depth)
  }

  /** A later stage of a pipeline. */
  filter(scope, depth) {
    const { random } = this
    const kind = random.weighted({ plain: 5, printf: 3, call: 2, odd: 0.15 })
    if (kind === 'plain')
      return random.pick([
        'print',
        'println',
        'html',
        'js',
        'urlquery',
        'len',
        'not',
        'upper',
        'echo',
        'list',
        'printf',
      ])
    if (kind === 'printf') return `printf ${this.format(1)}`
    if (kind === 'odd') return this.operand(scope, depth - 1)[0]
    return this.call(scope, depth - 1)
  }

  call(scope, depth) {
    const { random } = this
    const argument = () => this.argument(scope, depth - 1)
    const many = (least, most) => random.times(least + random.below(most - least + 1), argument).join(' ')
    const kind = random.weighted({
      printf: 6,
      print: 4,
      logic: 3,
      compare: 5,
      index: 4,
      slice: 3,
      len: 2,
      escape: 3,
      own: 5,
      odd: 0.6,
    })
    switch (kind) {
      case 'printf': {
        const count = random.below(4)
        return `printf ${this.format(count)} ${random.times(random.chance(0.9) ? count : random.below(4), argument).join(' ')}`.trimEnd()
      }
      case 'print':
        return `${random.pick(['print', 'println'])} ${many(0, 4)}`.trimEnd()
      case 'logic':
        return `${random.pick(['and', 'or', 'and', 'or', 'not'])} ${many(1, 3)}`
      case 'compare':
        return this.comparison(scope, depth)
      case 'index': {
        const [text, sample] = this.collection(scope)
        const key = () =>
          isMap(sample) && random.chance(0.8)
            ? JSON.stringify(random.pick([...sample.keys(), 'k']))
            : random.chance(0.8)
              ? `${random.below(4)}`
              : argument()
        return `index ${text} ${random.times(1 + random.below(random.chance(0.8) ? 1 : 3), key).join(' ')}`.trimEnd()
      }
      case 'slice': {
        const text = random.chance(0.5) ? this.collection(scope)[0] : argument()
        return `slice ${text} ${random.times(random.below(4), () => (random.chance(0.9) ? `${random.below(5)}` : argument())).join(' ')}`.trimEnd()
      }
      case 'len':
        return `len ${random.chance(0.7) ? this.collection(scope)[0] : argument()}`
      case 'escape':
        return `${random.pick(['html', 'js', 'urlquery'])} ${many(1, 2)}`
      case 'own':
        return this.ownCall(scope, depth)
      default:
        return `${random.pick([...BUILTINS, 'undefined', 'add', 'null', 'answer'])} ${many(0, 3)}`.trimEnd()
    }
  }

  comparison(scope, depth) {
    const { random } = this
    const name = random.pick(['eq', 'eq', 'ne', 'lt', 'le', 'gt', 'ge'])
    const argument = () => this.argument(scope, depth - 1)
    const count = name === 'eq' && random.chance(0.2) ? 3 : 2
    const alike = random.weighted({ text: 3, number: 3, any: 4 })
    const make = {
      text: () => (random.chance(0.5) ? random.pick(STRINGS) : this.textField(scope)),
      number: () => (random.chance(0.6) ? random.pick(INTEGERS) : '.i'),
      any: argument,
    }[alike]
    return `${name} ${random.times(count, make).join(' ')}`
  }

  ownCall(scope, depth) {
    const { random } = this
    const argument = () => this.argument(scope, depth - 1)
    const integer = () => (random.chance(0.75) ? random.pick(INTEGERS) : argument())
    const float = () => (random.chance(0.75) ? random.pick([...FLOATS, ...INTEGERS]) : argument())
    const text = () => (random.chance(0.75) ? random.pick([...STRINGS, this.textField(scope)]) : argument())
    const name = random.pick([
      'add',
      'sum',
      'addf',
      'half',
      'wide',
      'upper',
      'concat',
      'repeat',
      'both',
      'echo',
      'list',
      'count',
      'words',
      'glue',
      'keys',
      'pair',
      'null',
      'answer',
      'fails',
    ])
    const make = {
      add: () => [integer(), integer()],
      sum: () => random.times(random.below(4), integer),
      addf: () => [float(), float()],
      half: () => [float()],
      wide: () => [integer()],
      upper: () => [text()],
      concat: () => random.times(random.below(4), text),
      repeat: () => [integer(), text()],
      both: () => [random.pick(['true', '.t', argument()]), 'false'],
      echo: () => [argument()],
      list: () => random.times(random.below(4), argument),
      count: () => [this.collection(scope)[0]],
      words: () => [random.pick(['"a b"', '"x"', '""', text()])],
      glue: () => [text(), random.pick(['(words "a b")', '(keys .m)', '.w', argument()])],
      keys: () => [random.pick(['.m', '.', argument()])],
      pair: () => [text(), argument()],
      null: () => [],
      answer: () => [],
      fails: () => [text()],
    }[name]
    return [name, ...make()].join(' ')
  }

  argument(scope, depth) {
    const { random } = this
    if (depth > 0 && random.chance(0.25)) {
      const inner = `(${this.pipeline(scope, depth - 1)})`
      return random.chance(0.12) ? `${inner}.${this.fieldName(this.someValue())}` : inner
    }
    return this.operand(scope, depth)[0]
  }

  operand(scope, depth) {
    const { random } = this
    const kind = random.weighted({
      field: 8,
      dot: 1.5,
      variable: scope.variables.length > 0 ? 4 : 0.1,
      dollar: 1.5,
      integer: 1.5,
      float: 1,
      rune: 0.5,
      string: 3,
      bool: 0.5,
      nil: 0.25,
      chain: depth > 0 ? 0.6 : 0,
      soup: 0.04,
    })
    switch (kind) {
      case 'field':
        return this.path('', scope.dot)
      case 'dot':
        return ['.', scope.dot]
      case 'variable': {
        const { name, sample } = scope.variables.length > 0 ? random.pick(scope.variables) : { name: '$x' }
        return random.chance(0.4) ? this.path(name, sample) : [name, sample]
      }
      case 'dollar':
        return random.chance(0.85) ? this.path('$', scope.dollar) : ['$', scope.dollar]
      case 'chain': {
        const [text, sample] = this.pipelineWithSample(scope, depth - 1)
        return this.path(`(${text})`, sample)
      }
      case 'integer':
        return [random.pick(INTEGERS), 1]
      case 'float':
        return [random.pick(FLOATS), 1.5]
      case 'rune':
        return [random.pick(RUNES), 1]
      case 'string':
        return [random.pick(STRINGS), 'text']
      case 'bool':
        return [random.pick(['true', 'false']), true]
      case 'nil':
        return ['nil', null]
      default:
        return [random.pick(SOUP), null]
    }
  }

  /** A chain of fields from a value, mostly existing ones. */
  path(prefix, value) {
    const { random } = this
    let text = prefix
    let sample = value
    do {
      const name = this.fieldName(sample)
      text += `.${name}`
      sample = isMap(sample) ? sample.get(name) : undefined
    } while (isMap(sample) && sample.size > 0 ? random.chance(0.6) : random.chance(0.05))
    return [text, sample]
  }

  fieldName(value) {
    const { random } = this
    const names = isMap(value)
      ? [...value.keys()].filter((key) => /^[\p{L}_][\p{L}\p{Nd}_]*$/u.test(key))
      : []
    if (names.length > 0 && random.chance(0.94)) return random.pick(names)
    return random.pick(['missing', 'x', 'i', 's', 'a', 'k', 'constructor', 'é', 'role'])
  }

  textField(scope) {
    return isMap(scope.dot) && scope.dot === this.root
      ? this.random.pick(['.s', '.u'])
      : this.random.pick(['$.s', '$.u', '"b"'])
  }

  /** Something that can be ranged over, indexed or measured, mostly. */
  collection(scope) {
    const { random } = this
    for (let tries = 0; tries < 4; tries++) {
      const found = this.operand(scope, 0)
      if (isList(found[1]) || isMap(found[1]) || random.chance(0.05)) return found
    }
    const name = random.pick(['l', 'w', 'mix', 'm', 'maps', 'deep'])
    const sample = isMap(scope.dollar) ? scope.dollar.get(name) : undefined
    return [`$.${name}`, sample]
  }

  elementOf(collection) {
    const { random } = this
    if (isList(collection)) return [0, collection.length > 0 ? random.pick(collection) : null]
    if (isMap(collection) && collection.size > 0) return random.pick([...collection])
    return [0, isNumber(collection) ? collection : null]
  }

  /** A printf format for about `count` arguments. */
  format(count) {
    const { random } = this
    const directive = () => {
      const index = random.chance(0.04) ? `[${random.pick(['1', '2', '3', '0', 'x', ''])}]` : ''
      const flags = random
        .times(random.weighted({ 0: 6, 1: 3, 2: 1 }) | 0, () => random.pick([...'+-# 0']))
        .join('')
      const width = random.chance(0.25) ? random.pick(['1', '5', '12', '*', '20', '3']) : ''
      const precision = random.chance(0.25)
        ? random.pick(['.', '.0', '.1', '.2', '.5', '.10', '.*', '.20'])
        : ''
      return `%${flags}${width}${precision}${index}${random.pick(VERBS)}`
    }
    const pieces = random.times(
      count,
      () =>
        directive() + random.pick(['', '', ' ', '|', 'é', '%%', '%']).slice(0, random.chance(0.97) ? 2 : 1),
    )
    return pieces.length > 0 ? `"${pieces.join('')}"` : random.pick(STRINGS)
  }
}
