import type { DeclaredFunction, FunctionLookup, TemplateFunction } from '../api.js'
import { quote } from '../format/quote.js'
import { execError } from '../site.js'
import { BoundCall, type CallSite } from './call.js'

/** The functions of one render's calls. */
export class Bindings {
  readonly #functions: FunctionLookup | undefined
  #own: Map<CallSite, BoundCall> | null = null

  /** @param functions the render's own, which come before the program's */
  constructor(functions: FunctionLookup | undefined) {
    this.#functions = functions
  }

  /** Finds the function of a call and checks the number of arguments. @throws TemplateError */
  resolve(site: CallSite): BoundCall {
    const own = this.#functions?.get(site.name)
    if (own !== undefined) return this.#bind(site, own)
    const target = site.functions.get(site.name)
    if (site.bound !== null && site.bound.target === target) return site.bound
    if (target === undefined) {
      throw execError(site.nameSite, `${quote(site.name)} is not a defined function`)
    }
    const bound = new BoundCall(site, target)
    site.bound = bound
    return bound
  }

  /** Binds a function of the render's own: the program lives on, and would keep it with all that it holds. */
  #bind(site: CallSite, target: TemplateFunction | DeclaredFunction): BoundCall {
    const known = this.#own?.get(site)
    if (known?.target === target) return known
    const bound = new BoundCall(site, target)
    this.#own ??= new Map()
    this.#own.set(site, bound)
    return bound
  }
}
