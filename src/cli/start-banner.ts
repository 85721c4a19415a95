import type { Config } from '../config.js'
import { toLlmSettings } from '../llm/llm-settings.js'
import type { Registry } from '../registry/registry.js'
import { VERSION } from '../util/packages/version.js'
import { counted } from '../util/text/counted.js'
import { shortPath } from '../util/text/short-path.js'
import { catalogContents } from './catalog-sizes.js'
import { PROGRAM } from './command.js'

/** What a banner reports. */
export interface StartedService {
  readonly config: Config
  readonly registry: Pick<Registry, 'status' | 'current'>
  /** The URL of the service, or the path of its socket. */
  readonly place: string
}

/** What a person needs first: the page, the API, the catalog with its counts, the model. */
export function startBanner({ config, registry, place }: StartedService): string {
  const rows = [
    ['Page', place],
    ['API', place.startsWith('http') ? `${place}/docs` : place],
    ['Catalog', `${catalogOf(registry)}${ownCatalog(config)}`],
    ['Model', modelOf(config)],
  ]
  return [
    `AI-Prompt-Shell ${VERSION}`,
    '',
    ...rows.map(([name = '', text]) => `  ${name.padEnd(8)} ${text}`),
  ].join('\n')
}

function catalogOf({ status: { ready, store }, current }: StartedService['registry']): string {
  const place = shortPath(store.location)
  if (!ready) return `${place}: not loaded yet${store.detail === undefined ? '' : `, ${store.detail}`}`
  const errors = current.diagnostics.filter(({ severity }) => severity === 'error').length
  const problem = errors === 0 ? '' : `; ${counted(errors, 'error')}`
  return `${place}: ${catalogContents(current)}${problem}`
}

/** How to serve documents of one's own, where nothing says which. */
function ownCatalog({ catalogDir, redisUrl }: Config): string {
  return catalogDir === undefined && redisUrl === undefined ? `; ${PROGRAM} <folder> serves yours` : ''
}

function modelOf(config: Config): string {
  const { upstreams, defaultModel } = toLlmSettings(config)
  if (upstreams.length === 0) return 'echo: offline, repeats what it is sent; LLM_BASE_URL sets a real one'
  const places = upstreams.map(({ name, baseUrl }) => (name === 'default' ? baseUrl : `${name} (${baseUrl})`))
  return `${defaultModel ?? 'named by each request'} at ${places.join(', ')}`
}
