import { createTemplateEngine } from '../../src/prompts/create-template-engine.js'
import type { TemplateEngine } from '../../src/registry/template-engine.js'

/** The service's engine, and what it was asked to compile. */
export interface WatchedEngine extends TemplateEngine {
  /** Names of the templates compiled so far, in order. */
  readonly compiled: string[]
}

/** The real engine, watched. */
export function createWatchedEngine(): WatchedEngine {
  const engine = createTemplateEngine(262_144)
  const compiled: string[] = []
  const watched = (compile: TemplateEngine['compile']): TemplateEngine['compile'] => {
    return (source, options) => {
      compiled.push(options.name ?? '')
      return compile(source, options)
    }
  }
  const { compile, compileToRender } = engine
  return { ...engine, compiled, compile: watched(compile), compileToRender: watched(compileToRender) }
}
