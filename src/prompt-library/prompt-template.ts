import {
  compile,
  type Dialect,
  type FunctionTable,
  type PartialLookup,
  type References,
  type RenderOptions,
  type Template,
  type TemplateLimits,
} from '../template/index.js'
import { toPromptError } from './prompt-error.js'
import { type TemplateContext, toVariables } from './template-context.js'

export interface PromptTemplateOptions {
  /** Shown in error messages. Default `prompt`. */
  readonly name?: string
  /** The grammar of the source. Default `handlebars`, the subset of this library; `go` is text/template. */
  readonly dialect?: Dialect
  /** Functions that templates of the Go dialect can call. */
  readonly functions?: FunctionTable
  readonly limits?: Partial<TemplateLimits>
}

export interface PromptRenderOptions {
  /** Templates that are found when the template and its partials registered no such name. */
  readonly partials?: PromptTemplateLookup
  readonly signal?: AbortSignal
  /** How long the render may take, in milliseconds from its start. */
  readonly deadlineMs?: number
}

/** Where `{{> name}}` looks for templates; a `PromptTemplateRegistry` is one. */
export interface PromptTemplateLookup {
  find(name: string): PromptTemplate | undefined
}

/** The variables of a render: a context, or a plain object that becomes one. */
export type PromptVariables = TemplateContext | Readonly<Record<string, unknown>>

/** A compiled prompt: immutable but for its partials, shared by any number of renders at once. */
export class PromptTemplate {
  readonly #source: string
  readonly #template: Template
  readonly #partials = new Map<string, PromptTemplate>()

  private constructor(source: string, options: PromptTemplateOptions) {
    const { name = 'prompt', dialect = 'handlebars', ...rest } = options
    this.#source = source
    this.#template = compile(source, { ...rest, name, dialect })
  }

  /** Compiles a source. @throws PromptError `Parse` with line and column */
  static compile(source: string, options: PromptTemplateOptions = {}): PromptTemplate {
    return attempt(() => new PromptTemplate(source, options))
  }

  get name(): string {
    return this.#template.name
  }

  get dialect(): Dialect {
    return this.#template.dialect
  }

  /** What the template reads, calls and includes, found without running it. */
  get references(): References {
    return this.#template.references
  }

  /**
   * Renders with these variables.
   *
   * @throws PromptError `VariableNotFound`, `PartialNotFound`, `NotAnArray`, `MaxDepthReached`, `Parse` (of a
   * partial that was registered lazily) or `Render`, which is also the kind for reaching an asynchronous function
   */
  render(context: PromptVariables, options: PromptRenderOptions = {}): string {
    return attempt(() => this.#template.renderSync(toVariables(context), this.#toRenderOptions(options)))
  }

  /** As `render`, and waits for asynchronous functions. */
  async renderAsync(context: PromptVariables, options: PromptRenderOptions = {}): Promise<string> {
    try {
      return await this.#template.render(toVariables(context), this.#toRenderOptions(options))
    } catch (error) {
      throw toPromptError(error)
    }
  }

  /**
   * Makes a template available to `{{> name}}`, replacing an earlier one of that name. In a render all names are
   * looked for in the template that is rendered, then in its partials' partials, then in `options.partials`.
   */
  registerPartial(name: string, template: PromptTemplate): this {
    this.#partials.set(name, template)
    return this
  }

  /** The source as it was compiled. */
  toString(): string {
    return this.#source
  }

  #toRenderOptions({ partials, ...rest }: PromptRenderOptions): RenderOptions {
    return { ...rest, missingKey: 'guarded', partials: this.#lookup(partials) }
  }

  #lookup(outer: PromptTemplateLookup | undefined): PartialLookup {
    return {
      get: (name) => {
        const template = this.#findPartial(name) ?? outer?.find(name)
        return template === undefined ? undefined : template.#template
      },
    }
  }

  /** Own partials first, then those that they bring along, nearest first; they may form circles. */
  #findPartial(name: string): PromptTemplate | undefined {
    const own = this.#partials.get(name)
    if (own !== undefined || this.#partials.size === 0) return own
    const visited = new Set<PromptTemplate>([this])
    for (const template of visited) {
      const found = template.#partials.get(name)
      if (found !== undefined) return found
      for (const partial of template.#partials.values()) visited.add(partial)
    }
    return undefined
  }
}

function attempt<Result>(action: () => Result): Result {
  try {
    return action()
  } catch (error) {
    throw toPromptError(error)
  }
}
