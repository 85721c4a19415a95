import { createTemplateEngine } from '../../src/prompts/create-template-engine.js'
import type { TemplateEngine } from '../../src/registry/template-engine.js'
import type { CompileOptions } from '../../src/template/host.js'

/** The service's engine, and what it was asked to compile. */
export interface WatchedEngine extends TemplateEngine {
  /** Names of the templates compiled so far, in order. */
  readonly compiled: string[]
}

type Compile<Result> = (source: string, options: CompileOptions) => Result

/** The real engine, watched. */
export function createWatchedEngine(): WatchedEngine {
  const engine = createTemplateEngine(262_144)
  const compiled: string[] = []
  const watched = <Result>(compile: Compile<Result>): Compile<Result> => {
    return (source, options) => {
      compiled.push(options.name ?? '')
      return compile(source, options)
    }
  }
  const { compile, compileToRender, compileToRenderInSlices } = engine
  return {
    ...engine,
    compiled,
    compile: watched(compile),
    compileToRender: watched(compileToRender),
    compileToRenderInSlices: watched(compileToRenderInSlices),
  }
}
