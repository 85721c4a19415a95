import { readFile } from 'node:fs/promises'
import { errorMessage } from '../util/errors/error-message.js'
import { PromptError } from './prompt-error.js'
import {
  type PromptRenderOptions,
  PromptTemplate,
  type PromptTemplateLookup,
  type PromptTemplateOptions,
  type PromptVariables,
} from './prompt-template.js'

/** A template by name; compiled at once, or when it is first used. */
type Stored =
  | { readonly kind: 'compiled'; readonly template: PromptTemplate }
  | { readonly kind: 'source'; readonly source: string }

/** Templates by name. `{{> name}}` in any of them finds the others. Owned by the code that makes it; nothing is global. */
export class PromptTemplateRegistry implements PromptTemplateLookup {
  readonly #stored = new Map<string, Stored>()
  readonly #options: Omit<PromptTemplateOptions, 'name'>

  /** The options hold for every template that the registry compiles. */
  constructor(options: Omit<PromptTemplateOptions, 'name'> = {}) {
    this.#options = options
  }

  /** Compiles and keeps a template, replacing an earlier one. @throws PromptError `Parse`; the earlier one then stays */
  register(name: string, template: string | PromptTemplate): this {
    const compiled = typeof template === 'string' ? this.#compile(name, template) : template
    this.#stored.set(name, { kind: 'compiled', template: compiled })
    return this
  }

  /** Keeps a source and compiles it when it is first used, which is also when a syntax error shows. */
  registerLazy(name: string, source: string): this {
    this.#stored.set(name, { kind: 'source', source })
    return this
  }

  /** Reads a UTF-8 file and registers its text. @throws PromptError `Io` with the cause, or `Parse` */
  async registerFile(name: string, path: string | URL): Promise<this> {
    return this.register(name, await readText(path))
  }

  /** The template of this name. @throws PromptError `PartialNotFound`, or `Parse` on the first use of a lazy one */
  get(name: string): PromptTemplate {
    const template = this.find(name)
    if (template !== undefined) return template
    throw new PromptError('PartialNotFound', `template "${name}" is not registered`, { subject: name })
  }

  /** The template of this name, undefined when it is missing. @throws PromptError `Parse` on the first use of a lazy one */
  find(name: string): PromptTemplate | undefined {
    const stored = this.#stored.get(name)
    if (stored?.kind !== 'source') return stored?.template
    return this.register(name, stored.source).find(name)
  }

  has(name: string): boolean {
    return this.#stored.has(name)
  }

  /** The registered names, in the order of their registration. */
  names(): string[] {
    return [...this.#stored.keys()]
  }

  /** Renders the template of this name. @throws PromptError as `get` and `PromptTemplate.render` */
  render(
    name: string,
    context: PromptVariables,
    options: Omit<PromptRenderOptions, 'partials'> = {},
  ): string {
    return this.get(name).render(context, { ...options, partials: this })
  }

  /** As `render`, and waits for asynchronous functions. */
  async renderAsync(
    name: string,
    context: PromptVariables,
    options: Omit<PromptRenderOptions, 'partials'> = {},
  ): Promise<string> {
    return this.get(name).renderAsync(context, { ...options, partials: this })
  }

  #compile(name: string, source: string): PromptTemplate {
    return PromptTemplate.compile(source, { ...this.#options, name })
  }
}

async function readText(path: string | URL): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    const reason = errorMessage(cause)
    throw new PromptError('Io', `cannot read the template file: ${reason}`, { cause, subject: String(path) })
  }
}
