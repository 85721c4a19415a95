import type { ListItem } from '../ast.js'
import type { Origin } from './origin.js'

/** Where a value came from in one render: calls and paths of the data, first things first. */
export interface ValueSource {
  readonly calls: readonly string[]
  readonly paths: readonly (readonly string[])[]
  /** True if fields of the value are fields of the data at its paths. */
  readonly isPlace: boolean
}

/** What is known where a template runs. */
export interface OriginFrame {
  readonly dot: ValueSource
  /** Of the loop around the place that includes the template. */
  readonly element: ValueSource | null
  /** Loops under way, with the index or key of their rounds. */
  readonly rounds: Map<ListItem, string>
}

export const NOWHERE: ValueSource = { calls: [], paths: [], isPlace: false }
/** The whole data of a render. */
export const WHOLE_DATA: ValueSource = { calls: [], paths: [[]], isPlace: true }
/** What the data calls the element of a loop around it. */
const DATA_ITEM: ValueSource = { calls: [], paths: [['item']], isPlace: true }

const NO_ROUNDS: OriginFrame['rounds'] = new Map()

/** Works out where values come from; each answer counts what it took to find. */
export class OriginResolver {
  /** Origins that were looked at. */
  visited = 0
  /** Assigned variables that are being looked at: they may hold what was made of themselves. */
  readonly #open = new Set<Origin>()

  resolve(origin: Origin, frame: OriginFrame): ValueSource {
    this.visited++
    switch (origin.kind) {
      case 'dot':
        return frame.dot
      case 'element':
        return frame.element ?? DATA_ITEM
      case 'field':
        return this.#field(origin.of, origin.path, frame)
      case 'round':
        return this.#round(origin.of, frame, frame.rounds.get(origin.loop))
      case 'call': {
        const given = this.#all(origin.of, frame)
        return { calls: [origin.name, ...given.calls], paths: given.paths, isPlace: false }
      }
      case 'any':
        return this.#all(origin.of, frame)
      case 'assigned':
        return this.#assigned(origin, origin.of, frame)
    }
  }

  #field(of: Origin, path: readonly string[], frame: OriginFrame): ValueSource {
    const [first, ...rest] = path
    // The includer put the element of its loop into the data.
    if (of.kind === 'dot' && first === 'item' && frame.element !== null && frame.dot === WHOLE_DATA) {
      return below(frame.element, rest)
    }
    return below(this.resolve(of, frame), path)
  }

  #round(of: Origin, frame: OriginFrame, key: string | undefined): ValueSource {
    const list = this.resolve(of, frame)
    return key === undefined ? { ...list, isPlace: false } : below(list, [key])
  }

  #all(origins: readonly Origin[], frame: OriginFrame): ValueSource {
    const sources = origins.map((origin) => this.resolve(origin, frame))
    const told = sources.filter(({ calls, paths }) => calls.length + paths.length > 0)
    const [only, ...others] = told
    if (only === undefined) return NOWHERE
    if (others.length === 0) return only
    return {
      calls: told.flatMap(({ calls }) => calls),
      paths: told.flatMap(({ paths }) => paths),
      isPlace: told.every(({ isPlace }) => isPlace),
    }
  }

  /** In whatever round it was assigned: that one may be over. */
  #assigned(variable: Origin, of: readonly Origin[], frame: OriginFrame): ValueSource {
    if (this.#open.has(variable)) return NOWHERE
    this.#open.add(variable)
    const source = this.#all(of, { ...frame, rounds: NO_ROUNDS })
    this.#open.delete(variable)
    return source
  }
}

function below(source: ValueSource, path: readonly string[]): ValueSource {
  if (!source.isPlace) return source
  return { ...source, paths: source.paths.map((start) => [...start, ...path]) }
}
