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
  return {
    ...engine,
    compiled,
    compile(source, options) {
      compiled.push(options.name ?? '')
      return engine.compile(source, options)
    },
  }
}
