import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, parseAllDocuments } from 'yaml'
import {
  compile,
  type FunctionLookup,
  functionLibrary,
  type TemplateFunction,
} from '../../src/template/index.js'

/** What Helm's templates see of an installation. */
export interface HelmRelease {
  readonly name: string
  readonly namespace: string
}

/** An object of the Kubernetes API, as far as every one has it. */
export interface KubernetesObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> }
  readonly [more: string]: unknown
}

/** A chart as it is rendered for one set of values. */
export interface RenderedChart {
  readonly objects: readonly KubernetesObject[]
  /** What Helm shows after an installation. */
  readonly notes: string
}

/** A chart of Helm in a directory, rendered by this repository's own template engine. */
export interface HelmChart {
  /** The values that come with it. */
  readonly values: Readonly<Record<string, unknown>>
  readonly schema: object
  /** @param values laid over the chart's own, as Helm does: objects are merged, everything else is replaced */
  render(values: Readonly<Record<string, unknown>>): Promise<RenderedChart>
}

const RELEASE: HelmRelease = { name: 'prompts', namespace: 'ai' }

/** Reads a chart. */
export function readHelmChart(directory: string): HelmChart {
  const text = (file: string) => readFileSync(join(directory, file), 'utf8')
  const chart: Record<string, unknown> = parse(text('Chart.yaml'))
  const values: Record<string, unknown> = parse(text('values.yaml'))
  const names = readdirSync(join(directory, 'templates')).sort()
  const helpers = names
    .filter((name) => name.endsWith('.tpl'))
    .map((name) => text(`templates/${name}`))
    .join('')
  const renderFile = (name: string, data: object) => execute(helpers, text(`templates/${name}`), data)
  return {
    values,
    schema: JSON.parse(text('values.schema.json')),
    async render(given) {
      const data = {
        Values: merge(values, given),
        Chart: Object.fromEntries(Object.entries(chart).map(([name, value]) => [capital(name), value])),
        Release: { Name: RELEASE.name, Namespace: RELEASE.namespace, Service: 'Helm' },
      }
      const manifests = names.filter((name) => name.endsWith('.yaml'))
      const texts = await Promise.all(manifests.map((name) => renderFile(name, data)))
      return {
        objects: texts.flatMap((manifest, index) => readObjects(manifest, manifests[index] ?? '')),
        notes: await renderFile('NOTES.txt', data),
      }
    },
  }
}

/** Go's text/template with what Helm adds: `include` runs a named template and gives its text. */
async function execute(helpers: string, source: string, data: unknown): Promise<string> {
  const include: TemplateFunction = (name: string, value: unknown) =>
    execute(helpers, `{{- template ${JSON.stringify(name)} . -}}`, value)
  const functions: FunctionLookup = {
    has: (name) => name === 'include' || functionLibrary.has(name),
    get: (name) => (name === 'include' ? include : functionLibrary.get(name)),
  }
  return compile(`${helpers}${source}`, { functions }).render(data, { missingKey: 'zero' })
}

function readObjects(manifest: string, file: string): readonly KubernetesObject[] {
  return parseAllDocuments(manifest, { version: '1.1', strict: true, uniqueKeys: true }).flatMap(
    (document) => {
      if (document.errors.length > 0) throw new Error(`${file}: ${document.errors[0]?.message}\n${manifest}`)
      const object: KubernetesObject | null = document.toJS()
      return object === null ? [] : [object]
    },
  )
}

function merge(base: unknown, over: unknown): unknown {
  if (!isPlain(base) || !isPlain(over)) return over
  const names = new Set([...Object.keys(base), ...Object.keys(over)])
  return Object.fromEntries(
    [...names].map((name) => [name, Object.hasOwn(over, name) ? merge(base[name], over[name]) : base[name]]),
  )
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function capital(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`
}
