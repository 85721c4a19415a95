import type { PartialLookup, Template } from '../api.js'
import { withItem } from '../dialects/handlebars/with-item.js'
import type { RunTemplate } from '../run/run.js'
import type { Steps } from '../run/steps.js'
import { execError, type Site } from '../site.js'
import type { ProgramCode, Way } from './program-code.js'

/** A template from outside the text, as it is included. */
export interface Included {
  readonly code: ProgramCode
  whenIncluded(data: unknown): unknown
}

/** A call of a template from outside the text. */
export interface Inclusion {
  readonly site: Site
  readonly name: string
  /** Where the calling template itself looks; the run's own partials come first. */
  readonly partials: PartialLookup | undefined
  /** What is included, if the template is one of this engine. */
  readonly included: (template: Template | undefined) => Included | undefined
}

/** Runs a template from outside the text inside of another's run. */
export function includeTemplate({ site, name, partials, included }: Inclusion, way: Way): RunTemplate {
  return (run, output, dot, element) => {
    const template = included(run.partials?.get(name) ?? partials?.get(name))
    if (template === undefined) throw execError(site, `template "${name}" is not one of this engine`)
    const { code } = template
    const outer = run.data
    const whole = dot === outer ? run.boundary.fill(template, dot) : dot
    const takesItem = element !== undefined && !code.program.rules.hasLoopElement
    const data = takesItem ? withItem(whole, element) : whole
    const main =
      run.trace === null
        ? code.unit(way.json, way.asynchronous).main
        : run.trace.included(code, () => code.traced())
    run.enterPartial(site, data)
    const text = main(run, output, data, element)
    if (typeof text === 'string') return run.leavePartial(text, outer, code.texts)
    return leaving(text, (whole) => run.leavePartial(whole, outer, code.texts))
  }
}

function* leaving(text: Steps<string>, leave: (text: string) => string): Steps<string> {
  return leave(yield* text)
}
