import { createTemplateEngine } from '../../src/prompts/create-template-engine.js'
import type { TemplateEngine } from '../../src/registry/template-engine.js'

/** The service's engine, and what it was asked to compile. */
export interface WatchedEngine extends TemplateEngine {
  /** Names of the templates compiled so far, in order. */
  readonly compiled: string[]
}

type Compile<Options, Result> = (source: string, options: Options) => Result

/** The real engine, watched. */
export function createWatchedEngine(): WatchedEngine {
  const engine = createTemplateEngine(262_144)
  const compiled: string[] = []
  const watched = <Options extends { readonly name?: string }, Result>(
    compile: Compile<Options, Result>,
  ): Compile<Options, Result> => {
    return (source, options) => {
      compiled.push(options.name ?? '')
      return compile(source, options)
    }
  }
  const { check, compileToRender, compileToRenderInSlices } = engine
  return {
    ...engine,
    compiled,
    check: watched(check),
    compileToRender: watched(compileToRender),
    compileToRenderInSlices: watched(compileToRenderInSlices),
  }
}
