import { readFileSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import { createSlicer } from '../slices/pause.js'
import { runSliced, type Sliced } from '../slices/sliced.js'

/** What a CommonJS file needs at once: a line that is not indented, or one of several in a declaration. */
const NEEDED = /^(?:\S.*|\s+[\w$]+ = )?\brequire\((["'])([^"']+)\1\)/gm
const COMMON_JS = /\.c?js$/

/**
 * Reads CommonJS packages file by file, giving way to others in between: what requires or imports them afterwards
 * finds everything there. In the order in which Node.js would read them itself, and files that need each other in a
 * circle together. What cannot be read is left to anybody who needs it, and throws there.
 *
 * @param from the module that is going to need them, as its `import.meta.url` or path
 * @param readFile reads one of the files. Default: as it is
 */
export async function readPackages(
  names: readonly string[],
  from: string,
  readFile: ReadFile = asItIs,
): Promise<void> {
  const slicer = createSlicer()
  await runSliced(reading(names, from, readFile), slicer)
}

/** What is done around the reading of a file. */
export type ReadFile = (read: () => void, file: string) => void

const asItIs: ReadFile = (read) => read()

function* reading(names: readonly string[], from: string, readFile: ReadFile): Sliced<void> {
  const graph = new ModuleGraph()
  for (const file of resolved(names, from)) yield* graph.visit(file)
  const require = createRequire(from)
  for (const file of graph.order) {
    try {
      readFile(() => require(file), file)
    } catch {
      return
    }
    yield
  }
}

/** Tarjan's algorithm: finds the circles of a graph, and an order in which everything comes after what it needs. */
class ModuleGraph {
  /** Of each circle the file that is reached first; most are circles of one. */
  readonly order: string[] = []
  readonly #numbers = new Map<string, number>()
  readonly #open: string[] = []

  #close(file: string): void {
    this.#open.length = this.#open.indexOf(file)
    this.order.push(file)
  }

  /** @returns by the generator's end the lowest number that the file leads back to */
  *visit(file: string): Sliced<number> {
    const own = this.#numbers.size
    let lowest = own
    this.#numbers.set(file, own)
    this.#open.push(file)
    for (const needed of neededBy(file)) {
      const known = this.#numbers.get(needed)
      if (known === undefined) lowest = Math.min(lowest, yield* this.visit(needed))
      else if (this.#open.includes(needed)) lowest = Math.min(lowest, known)
    }
    if (lowest === own) this.#close(file)
    yield
    return lowest
  }
}

/** Nothing of a file that was read: what it needs was read with it. */
function neededBy(file: string): readonly string[] {
  if (!COMMON_JS.test(file) || createRequire(file).cache[file]?.loaded === true) return []
  const names = [...readFileSync(file, 'utf8').matchAll(NEEDED)].map(([, , name = '']) => name)
  return resolved(names, file)
}

/** The files of the named packages, without the platform's own modules and packages that are not installed. */
function resolved(names: readonly string[], from: string): readonly string[] {
  const require = createRequire(from)
  return names.flatMap((name) => {
    try {
      return isBuiltin(name) ? [] : [require.resolve(name)]
    } catch {
      return []
    }
  })
}
