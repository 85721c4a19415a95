import { clipped } from '../../util/text/clipped.js'
import type { TemplateWarning } from '../api.js'
import { NO_VALUE_TEXT, POINTER_TEXT } from '../format/format-value.js'
import type { Printing } from '../format/printing.js'
import { positionAt } from '../position.js'
import type { Site } from '../site.js'

type Listener = (warning: TemplateWarning) => void

/** Limit of positions that one render reports. */
const MAX_PLACES = 100
const MAX_SHOWN = 200

/** What one render has to say of itself: each place once, also in a loop and when the render starts again. */
export class Warnings {
  readonly #listener: Listener | undefined
  readonly #maxWidth: number
  #places: Set<string> | null = null
  #printing: RunPrinting | null = null

  constructor(listener: Listener | undefined, maxWidth: number) {
    this.#listener = listener
    this.#maxWidth = maxWidth
  }

  /** How a printf at this place prints; until the next one is asked for. */
  printingAt(site: Site, adaptsNumbers: boolean): Printing {
    if (this.#printing?.adaptsNumbers !== adaptsNumbers) {
      this.#printing = new RunPrinting(this, this.#maxWidth, adaptsNumbers)
    }
    return this.#printing.at(site)
  }

  add({ program, template, node }: Site, code: TemplateWarning['code'], message: string): void {
    const place = `${program.name}:${node.position}`
    this.#places ??= new Set()
    if (this.#listener === undefined || this.#places.size >= MAX_PLACES || this.#places.has(place)) return
    this.#places.add(place)
    const { line, column } = positionAt(program.source, node.position)
    this.#listener({ code, message, template, line, column })
  }
}

/** Warns if a printed value that is not a text is the sign of a missing value, or a function's address. */
export function warnOfNoValue(output: { readonly warnings: Warnings }, printed: string, site: Site): void {
  if (printed !== NO_VALUE_TEXT && printed !== POINTER_TEXT) return
  const written = shortened(site.program.rules.printNode(site.node))
  const message =
    printed === NO_VALUE_TEXT
      ? `{{${written}}} printed ${NO_VALUE_TEXT}: test it with {{with}}, or give it a default`
      : `{{${written}}} printed a function: call it`
  output.warnings.add(site, 'no_value', message)
}

/** How the printfs of one render print: what they write in the place of a value is a warning. */
class RunPrinting implements Printing {
  readonly maxWidth: number
  readonly adaptsNumbers: boolean
  readonly #warnings: Warnings
  #site: Site | null = null
  #isReported = false

  constructor(warnings: Warnings, maxWidth: number, adaptsNumbers: boolean) {
    this.#warnings = warnings
    this.maxWidth = maxWidth
    this.adaptsNumbers = adaptsNumbers
  }

  onBadVerb(printed: string): void {
    // A place is reported once, and a format may have thousands of bad verbs.
    if (this.#site === null || this.#isReported) return
    this.#isReported = true
    this.#warnings.add(this.#site, 'bad_format', `printf wrote ${shortened(printed)}`)
  }

  /** This report for a printf at another place. */
  at(site: Site): this {
    this.#site = site
    this.#isReported = false
    return this
  }
}

function shortened(text: string): string {
  return clipped(text, MAX_SHOWN).toWellFormed()
}
