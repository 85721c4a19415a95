import type { Span } from '../../api/shapes.js'
import { useShell } from '../../shell.js'
import type { Catalog } from '../../stores/catalog.js'
import { hrefOf } from '../../stores/route.js'
import type { TextKey } from '../../texts/say.js'

const KIND_TEXTS: Readonly<Record<Span['kind'], TextKey>> = {
  text: 'fromText',
  variable: 'fromVariable',
  environ: 'fromEnviron',
  tool: 'fromTool',
  partial: 'fromPartial',
  function: 'fromFunction',
}

interface OriginProps {
  readonly prompt: string
  readonly span: Span | undefined
  /** Those that the text has. */
  readonly kinds: ReadonlySet<Span['kind']>
}

/** Says where a stretch comes from, and leads there; without one, what the colors mean. */
export function Origin({ prompt, span, kinds }: OriginProps) {
  const { say, catalog } = useShell()
  if (span === undefined) return <Legend kinds={kinds} />
  const { kind, template, line } = span
  const isElsewhere = isIncluded(catalog, prompt, template)
  return (
    <p class="origin">
      <span class={`key span-${kind}`}>{say(KIND_TEXTS[kind])}</span>
      <OriginLink span={span} />
      <span class="quiet">
        {isElsewhere ? <a href={hrefOf({ page: 'prompt', id: template, line })}>{template}</a> : template}{' '}
        {say('atLine', { line })}
      </span>
    </p>
  )
}

function Legend({ kinds }: { readonly kinds: ReadonlySet<Span['kind']> }) {
  const { say } = useShell()
  return (
    <p class="origin">
      {[...kinds].map((kind) => (
        <span key={kind} class={`key span-${kind}`}>
          {say(KIND_TEXTS[kind])}
        </span>
      ))}
      <span class="quiet">{say('originHint')}</span>
    </p>
  )
}

/** True for a template that is another prompt of the catalog. */
export function isIncluded(catalog: Catalog, prompt: string, template: string): boolean {
  return template !== prompt && catalog.shelves.prompt.entries.value.some(({ id }) => id === template)
}

function OriginLink({ span: { kind, path, call } }: { readonly span: Span }) {
  const { catalog } = useShell()
  const tool = catalog.shelves.tool.entries.value.find((entry) => entry.function === call)
  if (kind === 'tool' && tool !== undefined)
    return <a href={hrefOf({ page: 'tool', id: tool.id })}>{tool.id}</a>
  if (kind !== 'environ' || path === undefined) return <code>{path ?? call ?? ''}</code>
  const place = environAt(catalog, path)
  if (place === undefined) return <code>{path}</code>
  return <a href={hrefOf({ page: 'environ', ...place })}>{path}</a>
}

/** The shared variable that has this path, and the place inside it. */
function environAt(
  catalog: Catalog,
  path: string,
): { readonly id: string; readonly path: string } | undefined {
  const found = catalog.shelves.environ.entries.value
    .filter(({ id }) => path === id || path.startsWith(`${id}.`))
    .sort((one, other) => other.id.length - one.id.length)[0]
  return found === undefined ? undefined : { id: found.id, path: path.slice(found.id.length + 1) }
}
