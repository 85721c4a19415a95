import type { SliceGuard } from '../util/slices/slice.js'
import type { Sliced } from '../util/slices/sliced.js'
import type { WorkQueue } from '../util/slices/work-queue.js'
import type { JsonText } from './json-text.js'
import type { Position, References } from './references.js'

export {
  TemplateError,
  type TemplateErrorCode,
  type TemplateErrorOptions,
  type TemplateFailure,
} from './template-error.js'

/** Which grammar the text is written in. Both compile to the same tree and run on the same runtime. */
export type Dialect = 'go' | 'handlebars'

/**
 * How whole numbers meet floats. `adaptive`: an integer that is compared with a float, printed with a float verb or
 * passed as a float64 is that float64. `go`: it is an error, or a bad verb, as in Go.
 */
export type Numbers = 'adaptive' | 'go'

/**
 * What happens when a map has no such key.
 * `default` prints `<no value>`, `zero` is Go's zero option, `error` is Go's error option,
 * `guarded` (the service's rule) fails in an output or argument position and is false in a truth position.
 */
export type MissingKey = 'default' | 'zero' | 'error' | 'guarded'

/** A parameter type of a function with a declared signature, in Go's names. */
export type ParameterType =
  | 'int'
  | 'int64'
  | 'float64'
  | 'string'
  | 'bool'
  | 'any'
  | '[]any'
  | '[]string'
  | 'map[string]any'
  | 'time.Time'

/** What a scoped function learns about the render that calls it. */
export interface CallScope {
  /** The clock, in milliseconds. */
  readonly now: () => number
  /** Bound on widths and counts; exceeding it is a `LimitError`. */
  readonly maxWidth: number
  /**
   * Counts what the function is about to make beyond its result, in characters; the result itself is counted anyway.
   *
   * @throws LimitError if the render made too much
   */
  readonly make: (characters: number) => void
  /** Whether the function may answer with a promise. */
  readonly mayWait: boolean
  /** Lets others run; for functions that answer with a promise. */
  readonly giveWay: () => Promise<void>
  /**
   * Runs work of the function after it yielded: as a slice of the render, which may be ended if it takes too long.
   *
   * @throws TemplateError if the render ended
   */
  readonly slice: <Result>(work: () => Result) => Result
}

/** What a call costs its render, in units of about a nanosecond, and the most that its arguments together may be. */
export interface CallCost {
  readonly perCall: number
  /** For each UTF-16 unit of the texts it reads. */
  readonly perCharacter: number
  readonly maxCharacters: number
  /** Which elements of lists and dicts it reads: none, those of the list itself, or all, however deep, with their texts. */
  readonly elements: 'none' | 'own' | 'all'
  readonly perElement: number
  /** The cost per member of large dicts, in elements. */
  readonly perMember: number
  readonly maxElements: number
  /** For each integer argument that says how many elements are made, up to the bound on widths. */
  readonly perCount: number
  /** False where the result is one of the arguments, or part of one. */
  readonly makes: boolean
  /** Whether it yields by itself while it works: its costs have no bound of 20 ms. */
  readonly inTurns?: boolean
  /** Whether the arguments are pairs of which it reads only the keys: the first one, the third, and so on. */
  readonly onlyKeys?: boolean
}

/** What the renders of a process have made that are under way, as `made` of each; who starts them takes off what ended. */
export interface SharedAllocation {
  made: number
}

/** What renders of one prompt spend together; each adds to it. */
export interface RenderSpending {
  /** Characters of texts, and elements of lists by the memory they take. */
  made: number
  /** What all renders under way have made, those of other prompts too: memory that none has given back yet. */
  readonly together?: SharedAllocation
  /** Characters of finished outputs. */
  written: number
  /** Spans of traced renders. */
  spans?: number
}

/** A function that templates can call; it may return a promise. */
export type TemplateFunction = (...values: never[]) => unknown

/** A function with a declared signature: constants adapt to it and wrong types get Go's messages. */
export interface DeclaredFunction {
  readonly call: TemplateFunction
  readonly parameters: readonly ParameterType[]
  /** The last parameter repeats, zero or more times. */
  readonly variadic?: boolean
  readonly returns?: ParameterType
  /** `call` gets the render's `CallScope` before the arguments. */
  readonly scoped?: boolean
  /** What a call costs the render. Default: no more than the call itself. */
  readonly cost?: CallCost
  /**
   * What `call` gets for values: plain JavaScript, where a time is a Date, or JSON, where it is RFC 3339 text and every
   * element is counted on each path that leads to it. Default `plain`.
   */
  readonly takes?: 'plain' | 'json'
  /** A field that a result does not have is a warning of the render, not an error: it is nothing. */
  readonly lenient?: boolean
}

/** What the engine needs of a function table; a Map is one, and so is a view that binds functions per render. */
export interface FunctionLookup {
  /** All names, for "did you mean"; a lookup may keep them to itself. */
  keys?(): Iterable<string>
  has(name: string): boolean
  get(name: string): TemplateFunction | DeclaredFunction | undefined
}

/** Functions by name: a Map, a lookup, or a plain record of which only own properties count. */
export type FunctionTable = FunctionLookup | Readonly<Record<string, TemplateFunction | DeclaredFunction>>

/** Templates that `{{template "name"}}` and `{{> name}}` find when the text itself defines no such name. */
export interface PartialLookup {
  get(name: string): Template | undefined
}

/** Bounds of one render and of one parse. Each is a count; exceeding it is a `TemplateError`. */
export interface TemplateLimits {
  readonly maxSourceBytes: number
  /** Actions of one text, `{{end}}` and comments included. */
  readonly maxActions: number
  /** Nesting of actions and parentheses while parsing. */
  readonly maxParseDepth: number
  /** Loop iterations and template calls. */
  readonly maxSteps: number
  readonly maxOutputBytes: number
  /** Nesting of `{{template}}` calls within one text. */
  readonly maxDepth: number
  /** Nesting of templates from outside the text, as prompts that include prompts. */
  readonly maxPartialDepth: number
  /** Width and precision in printf, count in repeat, and the like. */
  readonly maxWidth: number
  /** What functions may make in one render: characters of texts, and eight for each element of a list. */
  readonly maxMade: number
  /** Asynchronous calls in flight at once. */
  readonly maxParallelCalls: number
}

export interface CompileOptions {
  /** Go's template name, shown in messages. Default `t`, or another one where the text defines a template `t`. */
  readonly name?: string
  readonly dialect?: Dialect
  /** Delimiters of actions, `{{` and `}}` unless given. */
  readonly delimiters?: readonly [left: string, right: string]
  /** Beside Go's builtins, which cannot be shadowed: one table, or several, of which the first that has a name wins. */
  readonly functions?: FunctionTable | readonly FunctionTable[]
  readonly partials?: PartialLookup
  /**
   * What a template makes of a render's whole data when another one includes it with that: it may fill in what is
   * missing, in a copy.
   */
  readonly whenIncluded?: (data: unknown) => unknown
  /** The entry of the data that has the variables, such as `variables`: hints name it. Default: the data itself. */
  readonly variablesIn?: string
  /** Default `adaptive`. */
  readonly numbers?: Numbers
  readonly limits?: Partial<TemplateLimits>
}

/** What a render says of itself that ended well. */
export interface TemplateWarning extends Position {
  /** printf wrote `%!…`; a lenient function's result has no such field; an action printed `<no value>`, or a function. */
  readonly code: 'bad_format' | 'missing_field' | 'no_value'
  readonly message: string
  /** The template's name. */
  readonly template: string
}

export interface RenderOptions {
  readonly missingKey?: MissingKey
  /** Ignored: what counts was given to `compile`. */
  readonly numbers?: Numbers
  /** Called once for each position in a template that has a warning. */
  readonly onWarning?: (warning: TemplateWarning) => void
  /** Replaces the functions given to `compile`, name by name: for functions bound to this one render. */
  readonly functions?: FunctionTable | undefined
  readonly partials?: PartialLookup
  readonly signal?: AbortSignal
  /** How long the whole render may take, in milliseconds from its start. */
  readonly deadlineMs?: number
  /** The end of the whole render as a time of `now`; takes precedence over `deadlineMs`. */
  readonly deadlineAt?: number
  /** The clock, in milliseconds, for the deadline and for date functions. Default `Date.now`. */
  readonly now?: () => number
  /** `json` escapes the output as the inside of a JSON string; static text was escaped at compile time. */
  readonly output?: 'text' | 'json'
  /** Where renders queue that yielded to others. Default: a queue of the render's own. */
  readonly turns?: WorkQueue
  /** The data came from JSON: nothing else is looked for in it. */
  readonly isJson?: boolean
  /** Shared by renders under one limit. Default: the render's own. */
  readonly spending?: RenderSpending
  readonly limits?: Partial<TemplateLimits>
  /** Runs each slice from the first turn for others on, and may end it; functions of others are called in between. */
  readonly guard?: SliceGuard
  /** Whether the first slice is guarded too. */
  readonly isDoubted?: boolean
}

/** How a render is traced. */
export interface TraceOptions extends RenderOptions {
  /** True for an entry of the data that callers do not send: its values have the origin `environ`. Default: no entry. */
  readonly isEnviron?: (entry: string) => boolean
  /** True for a function that is a tool. Default: none. */
  readonly isTool?: (name: string) => boolean
}

/**
 * Where a stretch of a rendered text comes from. A value has its innermost origin: a tool's result is the tool's, data
 * that passed through functions is still that data, and the result of a choice has the origin of its first candidate.
 */
export interface TextSpan extends Position {
  /** In UTF-16 units; the spans of a text follow each other without a gap. */
  readonly start: number
  readonly end: number
  /** `text` is text of the template itself, `partial` of one from outside the text; `function`: computed by a function from constants. */
  readonly kind: 'text' | 'variable' | 'environ' | 'tool' | 'partial' | 'function'
  /** Of the data, dotted, with indices and keys of loops: of a `variable` or `environ`. */
  readonly path?: string
  /** The name of the `function` or `tool`. */
  readonly call?: string
  /** The template that the place is in: this one, or one that is included. */
  readonly template: string
}

/** A rendered text with the origin of every character. */
export interface TracedText {
  readonly text: string
  readonly spans: readonly TextSpan[]
}

/** How a template is folded. */
export interface FoldOptions {
  /** The entries of the data that differ from render to render; all others stay as they are. */
  readonly open: ReadonlySet<string>
  /** As in the renders that follow. */
  readonly missingKey?: MissingKey
  /** True for a function, beside the builtins, whose result follows from its arguments. Default: none. */
  readonly isPure?: (name: string) => boolean
}

/** A compiled template: immutable, shared by any number of concurrent renders. */
export interface Template {
  readonly name: string
  readonly source: string
  readonly dialect: Dialect
  readonly references: References
  render(data: unknown, options?: RenderOptions): Promise<string>
  /** The output as bytes; unlike a string they also hold bytes that are not valid UTF-8. */
  renderBytes(data: unknown, options?: RenderOptions): Promise<Uint8Array>
  /** @throws TemplateError also when an asynchronous function is reached. */
  renderSync(data: unknown, options?: RenderOptions): string
  /**
   * Writes the output's bytes, those of `renderBytes`, to the start of a target that may be used again: the way to
   * render to bytes that costs least.
   *
   * @returns how many bytes were written
   * @throws TemplateError as `renderSync` does, and with `render_limit` if the target is too small, with the bytes it
   *   needs in `details.bytes`; what the target holds then is not defined
   */
  renderInto(data: unknown, target: Uint8Array, options?: RenderOptions): number
  /** The text itself when the render ends without waiting, else a promise of it. */
  execute(data: unknown, options?: RenderOptions): string | Promise<string>
  /**
   * Renders like `render` and reports where every character comes from. The program is compiled again for this, and its
   * costs count like those of any render; more than 50,000 spans are a `render_limit`.
   */
  trace(data: unknown, options?: TraceOptions): Promise<TracedText>
  /**
   * A template that renders as this one does, as long as the data's entries are those given here, the open ones
   * aside: what reads only the others is printed now, once for all renders. It is this template itself where there is
   * nothing to gain, and where printing fails: the render then says why.
   */
  fold(data: unknown, options: FoldOptions): Template
  /** The JavaScript that the template runs as, for people: a statement a line, with places and texts as comments. */
  generatedSource(): string
  /** The source, printed back from the tree as Go does. */
  toString(): string
}

/** What a host that includes templates in each other needs of them beside that. */
export interface HostTemplate extends Template {
  /** As `execute`, of which `output: 'json'` was asked, with what is known of the text; of any other nothing is. */
  executeJson(data: unknown, options: RenderOptions): JsonText | Promise<JsonText>
  fold(data: unknown, options: FoldOptions): HostTemplate
  /** Finds what the template refers to, unless that is known, and stops after each stretch of it. */
  analyzeInSteps(): Sliced<void>
  /** The template from outside the text that is found under a name, unless a render has its own. */
  partial(name: string): HostTemplate | undefined
  /** What the template makes of a render's whole data when it is included with that. */
  whenIncluded(data: unknown): unknown
  /** The template up to the first action that prints a field, that action included; all of it without one. */
  upToField(field: string): HostTemplate
}
