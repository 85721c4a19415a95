import { editDistance } from '../util/errors/near-names.js'
import type { Dialect } from './api.js'

/** A failure as a rule sees it. */
export interface Mistake {
  readonly dialect: Dialect
  /** The failure without its place. */
  readonly message: string
  /** The action's text from where it failed. */
  readonly text: string
  /** The text before it. */
  readonly before: string
  /** Functions whose names are near to an unknown one. */
  readonly suggestions: readonly string[]
  /** The entry of the data that has the variables; of data that is the variables themselves, undefined. */
  readonly variablesIn?: string | undefined
}

/** What to write instead, where the pattern is found; the pattern's groups come after the mistake. */
interface Rule {
  readonly message: RegExp
  /** What the text looks like; anything unless given. */
  readonly text?: RegExp
  readonly hint: (mistake: Mistake, message: RegExpExecArray, text: RegExpExecArray) => string
}

const UNKNOWN_FUNCTION = /^function "([^"]+)" not defined/
/** In JavaScript's words; `+` and `-` are functions of the library. */
const OPERATORS: Readonly<Record<string, string>> = {
  '==': 'eq',
  '!=': 'ne',
  '&&': 'and',
  '||': 'or',
  '<=': 'le',
  '>=': 'ge',
  '<': 'lt',
  '>': 'gt',
  '!': 'not',
  '+': 'add',
  '*': 'mul',
}
/** What values of Go's types are to people. */
const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  int: 'a number',
  int64: 'a number',
  float64: 'a number',
  bool: 'true or false',
}
/** The functions of the library for what has no operator. */
const ARITHMETIC: Readonly<Record<string, string>> = {
  '+': 'add',
  '-': 'sub',
  '*': 'mul',
  '/': 'div',
  '%': 'mod',
}
const OPERATOR = /^\s*(==|!=|&&|\|\||<=|>=|[<>!+*])/

/** Shorter names are near to everything. */
const SHORT_NAME = 3
/** The text before a function that takes a piped value. */
const PIPED = /\|\s*$/

const IN_PATH = /[\w.]/

/** The path that a text ends with; undefined for none. */
function pathBefore(text: string): string | undefined {
  let start = text.length
  while (start > 0 && IN_PATH.test(text.charAt(start - 1))) start -= 1
  if (text[start - 1] === '$') return text.slice(start - 1)
  const dot = text.indexOf('.', start)
  return dot === -1 ? undefined : text.slice(dot)
}

/** What beginners write in each dialect, and what they mean; the first that fits counts. */
const RULES: Readonly<Record<Dialect, readonly Rule[]>> = {
  go: [
    {
      message: /^unexpected "[/#!]" in command/,
      text: /^(?:\/\*|#\s|!(?:\s|--))/,
      hint: () => 'a comment is {{/* … */}}, without blanks inside of the braces',
    },
    {
      message: /^unexpected "\{" in command/,
      hint: () => 'write two braces: nothing is escaped here',
    },
    {
      message: /^unexpected "\}" in /,
      hint: () => 'end the action with }}: one brace is missing',
    },
    {
      message: /^(?:illegal number syntax: "[+-]"|bad character U\+002B|unexpected "[*/%]" in operand)/,
      text: /^[^+\-*/%{}]*([+\-*/%])/,
      hint: ({ before }, _message, [, operator = '']) =>
        operator === '+' && /["`]\s*$/.test(before)
          ? 'use print: {{print "a" "b"}}'
          : `use ${ARITHMETIC[operator]}: {{${ARITHMETIC[operator]} .a .b}}`,
    },
    {
      message: /incompatible types for comparison/,
      text: /"(-?\d+(?:\.\d+)?)"/,
      hint: (_mistake, _message, [, number = '']) =>
        `a number and a text: write ${number} without quotes, or compare the text of toString`,
    },
    {
      message: /incompatible types for comparison/,
      hint: () => 'only values of one type can be compared: toString makes a text of any',
    },
    {
      message: /^unexpected "?[=!&|<>+*]/,
      text: OPERATOR,
      hint: (_mistake, _message, [, operator = '']) => {
        const name = OPERATORS[operator] ?? operator
        return `use ${name}: ${operator === '!' ? '{{if not .a}}' : `{{if ${name} .a .b}}`}`
      },
    },
    {
      message: /^unexpected "\|" in /,
      hint: () => 'use or: {{if or .a .b}}',
    },
    {
      message: /character constant/,
      text: /'([^'{}]*)'/,
      hint: (_mistake, _message, [, text = '']) => `use double quotes: "${text}"`,
    },
    {
      message: /^(?:bad character U\+005B|unexpected "\[")/,
      text: /^([.$\w]*)\[([^\]{}]*)\]/,
      hint: ({ before }, _message, [, name = '', index = '']) => {
        const list = `${pathBefore(before) ?? ''}${name}`
        return `use index: {{index ${list} ${index}}}`
      },
    },
    {
      message: /^bad character U\+002D/,
      text: /^\.?[\p{L}\p{Nd}_.$]*-\}\}/u,
      hint: () => 'write a blank before -}}',
    },
    {
      message: /^bad character U\+002D/,
      text: /^\.([\p{L}_][\p{L}\d_-]*)/u,
      hint: ({ before }, _message, [, name = '']) =>
        `use index: {{index ${pathBefore(before) ?? '.'} "${name}"}}`,
    },
    {
      message: /^unexpected \{\{(end|else)\}\}$/,
      hint: (_mistake, [, kind = '']) =>
        `no {{if}}, {{range}} or {{with}} is open here: this {{${kind}}} is one too many`,
    },
    {
      message: /^\{\{(?:break|continue)\}\} outside \{\{range\}\}/,
      hint: () => 'write it between {{range …}} and its {{end}}',
    },
    {
      message: /^unexpected .* in (\{\{(?:break|continue)\}\})$/,
      hint: (_mistake, [, word = '']) => `write ${word} and nothing more`,
    },
    {
      message: /^unclosed action/,
      hint: () => 'end the action with }}',
    },
    {
      message: /^bad character U\+007D/,
      hint: () => 'end the action with }}: one brace is missing',
    },
    {
      message: /^unclosed comment/,
      hint: () => 'end the comment with */}}',
    },
    {
      message: /^unterminated quoted string/,
      hint: () => 'end the text with " on the same line, or write it between backquotes',
    },
    {
      message: /^undefined variable "(\$\w+)"/,
      hint: (_mistake, [, name = '']) =>
        `assign it first: {{${name} := …}}; it is known up to the {{end}} of the block it is assigned in`,
    },
    {
      message: /^function "(?:elseif|elsif|elif)" not defined/,
      hint: () => 'use {{else if …}}',
    },
    {
      message: /^function "(?:endif|endfor|endeach|endrange|endwith|fi)" not defined/,
      hint: () => 'use {{end}}',
    },
    {
      message: /^function "(?:for|foreach|each)" not defined/,
      hint: () => 'use range: {{range .list}}…{{end}}',
    },
    {
      message: /^function "(?:include|partial|import)" not defined/,
      hint: () => 'use template: {{template "name" .}}',
    },
    {
      message: /^function "(?:this|item)" not defined/,
      text: /^\w+((?:\.\w+)*)/,
      hint: (_mistake, _message, [, path = '']) => `use ${path === '' ? '.' : path}: the dot is the element`,
    },
    {
      message: /^function "(?:variables|args)" not defined/,
      text: /^\w+(?:\.\w+)*/,
      hint: (_mistake, _message, [path = '']) => `did you mean .${path}?`,
    },
    {
      message: UNKNOWN_FUNCTION,
      text: /^(\w+)\.(\w+(?:\.\w+)*)/,
      hint: (mistake, [, name = ''], [, , rest = '']) => {
        const called = `${name}_${rest.replaceAll('.', '_')}`
        const isModule = mistake.suggestions.some((each) => each.startsWith(`${name}_`))
        return isModule ? `a tool is called with underscores: ${called}` : functionHint(mistake, name)
      },
    },
    {
      message: UNKNOWN_FUNCTION,
      hint: (mistake, [, name = '']) => functionHint(mistake, name),
    },
    {
      message: /^unexpected "@"/,
      hint: () => 'use range with two variables: {{range $index, $item := .list}}',
    },
    {
      message: /^unexpected "[#/>]"/,
      hint: () => 'use {{if …}}…{{end}}, {{range …}}…{{end}} or {{template "name" .}}',
    },
    {
      message: /^can't evaluate field (variables|args) in type/,
      hint: (_mistake, [, name = '']) => `use $.${name}: inside range and with the dot is something else`,
    },
    {
      message: /^can't evaluate field (\w+) in type (string|int|int64|float64|bool)$/,
      hint: (_mistake, [, name = '', type = '']) => `${KINDS[type]} has no field ${name}: print it as it is`,
    },
    {
      message: /^range can't iterate over /,
      hint: () =>
        'range takes a list, an object or a whole number; of a text, range splitList ", " .text takes the parts',
    },
  ],
  handlebars: [
    {
      message: /^\{\{#if\}\} needs exactly one variable/,
      hint: () => 'conditions need engine: go, such as {{if gt .variables.n 2}}…{{end}}',
    },
    {
      message: /^\{\{#each\}\} needs exactly one variable/,
      hint: () => 'write {{#each list}}…{{item}}…{{/each}}',
    },
    {
      message: /^\{\{else\}\} must be alone/,
      hint: () => 'write {{else}}{{#if b}}…{{/if}}{{/if}}; engine: go has {{else if}}',
    },
    {
      message: /^unknown block \{\{#unless\}\}/,
      hint: () => 'write {{#if x}}{{else}}…{{/if}}',
    },
    {
      message: /^unknown block \{\{#with\}\}/,
      hint: () => 'write whole paths: {{a.b}}; engine: go has {{with}}',
    },
    {
      message: /^"! ?[^"]*" is not a variable path/,
      hint: () => 'there are no comments here; engine: go has {{/* … */}}',
    },
    {
      message: /^"\.\.\/([^"]*)" is not a variable path/,
      hint: (_mistake, [, path = '']) => `write {{${path}}}: outer variables are read by their names`,
    },
    {
      message: /^"(?:\w+ [^"]*|[^"|]*\|[^"]*)" is not a variable path/,
      hint: () => 'functions need engine: go, such as {{upper .variables.x}}',
    },
    {
      message: /^variable "this((?:\.\w+)*)" not found/,
      hint: (_mistake, [, path = '']) => `use item${path}`,
    },
    {
      message: /^"@\w+" is not a variable path/,
      hint: () => 'use item: there is the element, but no index',
    },
    {
      message: /^"\.([\w.]+)" is not a variable path/,
      hint: (_mistake, [, path = '']) => `write {{${path}}} without the dot, or take engine: go`,
    },
  ],
}

/** What the author probably meant; undefined if nothing is known. */
export function hintFor(mistake: Mistake): string | undefined {
  for (const { message, text, hint } of RULES[mistake.dialect]) {
    const said = message.exec(mistake.message)
    const written = said === null ? null : (text ?? ANYTHING).exec(mistake.text)
    if (said !== null && written !== null) return hint(mistake, said, written)
  }
  return undefined
}

const ANYTHING = /^/

/** An unknown function: one with another name here, a misspelling, or a variable without its dot. */
function functionHint({ before, text, suggestions: [near], variablesIn }: Mistake, name: string): string {
  const isPiped = PIPED.test(before)
  const isCalled = isPiped || TAKES_ARGUMENTS.test(text)
  const isLong = isPiped || name.length >= SHORT_NAME
  if (near !== undefined && isLong && (isCalled || isNearlyThat(name, near))) return `did you mean ${near}?`
  return isCalled
    ? 'no function has this name: use a builtin, a function of the library, or a tool of the catalog'
    : `did you mean .${variablesIn === undefined ? '' : `${variablesIn}.`}${name}?`
}

/** A word alone is rather a variable without its dot: a function only where hardly a letter differs. */
function isNearlyThat(name: string, near: string): boolean {
  return name.length <= 2 * near.length && editDistance(name, near) <= name.length / LETTERS_PER_SLIP
}

const LETTERS_PER_SLIP = 3

/** What follows a word that is called as a function. */
const TAKES_ARGUMENTS = /^[\p{L}\p{Nd}_]+\s+[."$`(\p{L}\d]/u
