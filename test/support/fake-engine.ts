import type { TemplateEngine } from '../../src/registry/template-engine.js'
import { type CompileOptions, type Template, TemplateError } from '../../src/template/api.js'

export interface FakeEngine extends TemplateEngine {
  /** Names of the templates compiled so far, in order. */
  readonly compiled: string[]
}

const ACTION = /\{\{(?:template "([^"]*)"|call (\w+)|\.([\w.]+))[^}]*\}\}/g

/**
 * An engine that is just enough to see what the registry does with one: `{{.path}}`, `{{call tool}}` and
 * `{{template "name"}}`; `{{!` is a mistake.
 */
export function createFakeEngine(library: readonly string[] = []): FakeEngine {
  const compiled: string[] = []
  const functions = new Map(library.map((name) => [name, () => name]))
  return {
    compiled,
    functions,
    maxTemplateBytes: 262_144,
    compile: (source, options) => compileFake(source, options, compiled),
  }
}

function compileFake(source: string, options: CompileOptions, compiled: string[]): Template {
  const name = options.name ?? 't'
  compiled.push(name)
  const mistake = source.indexOf('{{!')
  if (mistake >= 0) throw mistakeAt(name, source, mistake)
  const actions = [...source.matchAll(ACTION)]
  const position = { line: 1, column: 1, conditional: false }
  for (const [, , tool] of actions) {
    if (tool !== undefined && options.functions instanceof Object && 'get' in options.functions) {
      const lookup = options.functions as { has(name: string): boolean }
      if (!lookup.has(tool)) throw mistakeAt(name, source, 0, `function "${tool}" not defined`)
    }
  }
  const render = (data: unknown): string =>
    source.replaceAll(ACTION, (_, partial?: string, tool?: string, path?: string) => {
      if (partial !== undefined) return options.partials?.get(partial)?.renderSync(data) ?? '<none>'
      return tool ?? String(path?.split('.').reduce(read, data))
    })
  const template: Template = {
    name,
    source,
    dialect: options.dialect ?? 'go',
    references: {
      variables: [],
      functions: actions.flatMap(([, , tool]) => (tool === undefined ? [] : [{ name: tool, ...position }])),
      partials: actions.flatMap(([, partial]) =>
        partial === undefined ? [] : [{ name: partial, ...position, getsAll: false }],
      ),
    },
    partial: (partial) => options.partials?.get(partial),
    whenIncluded: (data) => data,
    render: async (data) => render(data),
    renderBytes: async (data) => new TextEncoder().encode(render(data)),
    renderSync: render,
    renderInto: (data, target) => new TextEncoder().encodeInto(render(data), target).written,
    execute: render,
    executeJson: (data) => ({ json: JSON.stringify(render(data)).slice(1, -1), isAscii: false }),
    fold: () => template,
    toString: () => source,
  }
  return template
}

function read(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined
}

function mistakeAt(name: string, source: string, offset: number, problem = 'unexpected "!"'): TemplateError {
  const before = source.slice(0, offset).split('\n')
  const line = before.length
  const column = (before.at(-1) ?? '').length
  return new TemplateError('template_syntax', `template: ${name}:${line}: ${problem}`, {
    stage: 'parse',
    reason: 'syntax',
    line,
    column,
    template: name,
  })
}
