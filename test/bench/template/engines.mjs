/**
 * Every engine behind one shape: `compile(prompt)` parses and compiles again, and gives a function of the data. An engine
 * that writes bytes itself gives it a method `into(data, target)`.
 */
import { createEngine } from '@promptctl/go-template-js'
import ejs from 'ejs'
import { Eta } from 'eta'
import Handlebars from 'handlebars'
import nunjucks from 'nunjucks'
import { compile } from '../../../dist/template/index.js'

const pad = (number) => String(number).padStart(3)

const goTemplateJs = createEngine({ fromString: (text) => text })
const eta = new Eta({ autoEscape: false, autoTrim: false, cache: true })
const environment = new nunjucks.Environment(null, { autoescape: false })
environment.addFilter('pad', pad)
const handlebars = Handlebars.create()
handlebars.registerHelper('eq', (left, right) => left === right)
handlebars.registerHelper('pad', pad)

/** Name → compile. `by hand` has nothing to compile. */
export const ENGINES = {
  ours(prompt) {
    const template = compile(prompt.go)
    const into = (data, target) => template.renderInto(data, target)
    return Object.assign((data) => template.renderSync(data), { into })
  },

  'by hand': (prompt) => prompt.byHand,

  'go-template-js'(prompt) {
    const template = goTemplateJs.parse(prompt.go)
    return (data) => template.evaluate(data).join('')
  },

  handlebars(prompt) {
    const template = handlebars.compile(prompt.handlebars, { noEscape: true })
    for (const [name, source] of Object.entries(prompt.handlebarsPartials ?? {})) {
      handlebars.registerPartial(name, handlebars.compile(source, { noEscape: true }))
    }
    return (data) => template(data)
  },

  nunjucks(prompt) {
    const template = nunjucks.compile(prompt.nunjucks, environment)
    template.compile()
    return (data) => template.render(data)
  },

  eta(prompt) {
    for (const [name, source] of Object.entries(prompt.etaPartials ?? {})) eta.loadTemplate(name, source)
    const template = eta.compile(prompt.eta)
    return (data) => template.call(eta, data)
  },

  ejs: (prompt) => ejs.compile(prompt.ejs, { escape: String }),
}
