import type { TextSpan, TraceOptions } from '../api.js'
import type { ListItem } from '../ast.js'
import { spanLimit } from '../limit-errors.js'
import { Positions } from '../position.js'
import type { Program } from '../program.js'
import type { Site } from '../site.js'
import type { Value } from '../value.js'
import type { Origin } from './origin.js'
import { NOWHERE, type OriginFrame, OriginResolver, type ValueSource, WHOLE_DATA } from './origins.js'
import { Pending } from './pending.js'
import { offsetsIn } from './span-offsets.js'
import { GIVE_WAY, type Steps } from './steps.js'

/** A place in a template that adds to the output. */
export interface TracedPlace {
  readonly site: Site
  /** Of what it prints; null for static text. */
  readonly origin: Origin | null
}

/** Where the values come from that a template is called with. */
export interface CallOrigins {
  readonly dot: Origin | null
  readonly element: Origin | null
}

/** A stretch of the output, or the result it waits for. */
interface Entry {
  readonly place: TracedPlace
  readonly source: ValueSource
  readonly length: number | Pending
}

type SpanPlace = Pick<TextSpan, 'template' | 'line' | 'column'>

/** More spans than anybody looks at take more memory than the text itself. */
const MAX_SPANS = 50_000
/** What it costs to look at one origin, in units of about a nanosecond. */
const ORIGIN_COST = 20
/** Spans that are put together in one go. */
const ENTRIES_PER_TURN = 4_000

/** What tracing needs of its run. */
interface TracedRun {
  readonly budget: { work: number }
  readonly output: { readonly large: Value; addPending(text: string, pending: Pending): string }
  printLarge(output: string): Steps<string>
}

/**
 * Where each stretch of one render's output comes from; generated code of traced programs fills it. `Main` is what runs
 * an included template.
 */
export class Trace<Main> {
  readonly #options: TraceOptions
  readonly #program: Program
  readonly #entries: Entry[] = []
  readonly #frames: OriginFrame[] = []
  #frame: OriginFrame = { dot: WHOLE_DATA, element: null, rounds: new Map() }
  readonly #lengths = new Map<Pending, number>()
  readonly #included = new Map<object, Main>()
  readonly #positions = new Map<Program, Positions>()
  readonly #places = new Map<TracedPlace, SpanPlace>()

  constructor(program: Program, options: TraceOptions) {
    this.#program = program
    this.#options = options
  }

  /** Static text was added to the output. */
  text(place: TracedPlace, length: number): void {
    this.#add(place, NOWHERE, length)
  }

  /** Prints a value. @returns the output to continue with */
  print<Run extends TracedRun>(
    run: Run,
    output: string,
    value: Value,
    place: TracedPlace,
    write: (run: Run, output: string, value: Value, site: Site) => string,
  ): string {
    if (value instanceof Pending) {
      this.#add(place, this.#sourceOf(place, run), value)
      return run.output.addPending(output, value)
    }
    const text = write(run, '', value, place.site)
    if (run.output.large === null && text !== '') this.#add(place, this.#sourceOf(place, run), text.length)
    return output + text
  }

  /** Prints a value that was left to be printed in time slices. */
  *printLarge(run: TracedRun, output: string, place: TracedPlace): Steps<string> {
    const source = this.#sourceOf(place, run)
    const whole = yield* run.printLarge(output)
    this.#add(place, source, whole.length - output.length)
    return whole
  }

  /** A result that was pending takes so much of the output. */
  settled(pending: Pending, length: number): void {
    this.#lengths.set(pending, length)
  }

  /** A round of a loop begins. */
  round(loop: ListItem, key: string | number): void {
    this.#frame.rounds.set(loop, String(key))
  }

  endOfLoop(loop: ListItem): void {
    this.#frame.rounds.delete(loop)
  }

  /** A template is called. */
  enter({ dot, element }: CallOrigins): void {
    const resolver = new OriginResolver()
    const frame = {
      dot: dot === null ? NOWHERE : resolver.resolve(dot, this.#frame),
      element: element === null ? null : resolver.resolve(element, this.#frame),
      rounds: new Map(),
    }
    this.#frames.push(this.#frame)
    this.#frame = frame
  }

  leave(): void {
    this.#frame = this.#frames.pop() ?? this.#frame
  }

  /** The function of a template from outside the text, made once for this render. */
  included(template: object, make: () => Main): Main {
    const known = this.#included.get(template) ?? make()
    this.#included.set(template, known)
    return known
  }

  /** The spans of a finished render's text, in order, without empty ones. */
  *spans(raw: string): Steps<readonly TextSpan[]> {
    const ends = offsetsIn(raw, this.#ends())
    const spans: TextSpan[] = []
    let start = 0
    for (const [index, entry] of this.#entries.entries()) {
      if (index % ENTRIES_PER_TURN === ENTRIES_PER_TURN - 1) yield GIVE_WAY
      const end = ends[index] ?? start
      if (end > start) spans.push({ start, end, ...this.#origin(entry), ...this.#placeOf(entry.place) })
      start = end
    }
    return spans
  }

  #ends(): readonly number[] {
    let end = 0
    return this.#entries.map(({ length }) => {
      end += typeof length === 'number' ? length : (this.#lengths.get(length) ?? 0)
      return end
    })
  }

  /** @throws TemplateError if the render, with what else is rendered for the same prompt, has too many */
  #add(place: TracedPlace, source: ValueSource, length: number | Pending): void {
    if (length === 0) return
    const { spending } = this.#options
    const count = (spending?.spans ?? this.#entries.length) + 1
    if (spending !== undefined) spending.spans = count
    if (count > MAX_SPANS) throw spanLimit(place.site, MAX_SPANS)
    this.#entries.push({ place, source, length })
  }

  #sourceOf({ origin }: TracedPlace, run: TracedRun): ValueSource {
    if (origin === null) return NOWHERE
    const resolver = new OriginResolver()
    const source = resolver.resolve(origin, this.#frame)
    run.budget.work -= resolver.visited * ORIGIN_COST
    return source
  }

  /** The innermost origin: what a tool answered is the tool's, whatever it was asked; a call passes data on. */
  #origin({ place, source: { calls, paths } }: Entry): Pick<TextSpan, 'kind' | 'path' | 'call'> {
    const { isTool, isEnviron } = this.#options
    const tool = isTool === undefined ? undefined : calls.find(isTool)
    if (tool !== undefined) return { kind: 'tool', call: tool }
    const [path] = paths
    if (path !== undefined) {
      const [entry] = path
      const isFixed = entry !== undefined && isEnviron?.(entry) === true
      return { kind: isFixed ? 'environ' : 'variable', path: path.join('.') }
    }
    const [call] = calls
    if (call !== undefined) return { kind: 'function', call }
    return { kind: place.site.program === this.#program ? 'text' : 'partial' }
  }

  #placeOf(place: TracedPlace): SpanPlace {
    const known = this.#places.get(place)
    if (known !== undefined) return known
    const { program, node } = place.site
    const positions = this.#positions.get(program) ?? new Positions(program.source)
    this.#positions.set(program, positions)
    const found = { template: program.name, ...positions.at(node.position) }
    this.#places.set(place, found)
    return found
  }
}
