import type { JsonObject } from '../api/shapes.js'

/** A command for a shell that writes a draft into a folder and pushes that into a Redis. */
export function pushCommand(id: string, draft: JsonObject): string {
  const path = `draft/templates/${id.split('.').join('/')}.json`
  const folder = path.slice(0, path.lastIndexOf('/'))
  return [
    `mkdir -p ${quoted(folder)}`,
    // A line of JSON is never this word alone.
    `cat > ${quoted(path)} <<'DRAFT'`,
    JSON.stringify(draft, undefined, 2),
    'DRAFT',
    'npx ai-prompt-shell push draft redis://localhost:6379',
    '',
  ].join('\n')
}

function quoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
