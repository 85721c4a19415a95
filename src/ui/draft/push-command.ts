import type { JsonObject, Status } from '../api/shapes.js'

/** A command for a shell that takes a draft to the store that is served: into its folder, or by `push` into its Redis. */
export function pushCommand(id: string, draft: JsonObject, store?: Status['store']): string {
  const text = JSON.stringify(draft, undefined, 2)
  const path = `templates/${id.split('.').join('/')}`
  if (store?.kind === 'directory') return intoFolder(`${store.location ?? '.'}/${path}`, text)
  const address = store?.location ?? 'redis://localhost:6379'
  return [
    ...written(quoted(`draft/${path}.json`), folderOf(`draft/${path}`), text),
    `npx ai-prompt-shell push draft ${quoted(address)}`,
    '',
  ].join('\n')
}

/** The file that the prompt has, whichever its format: JSON is YAML, too. */
function intoFolder(path: string, text: string): string {
  const files = ['yaml', 'yml', 'json'].map((each) => quoted(`${path}.${each}`)).join(' ')
  return [
    `file=$(ls ${files} 2>/dev/null | head -n 1)`,
    ...written(`"\${file:-${path}.json}"`, folderOf(path), text),
    '',
  ].join('\n')
}

function written(file: string, folder: string, text: string): readonly string[] {
  // A line of JSON is never this word alone.
  return [`mkdir -p ${quoted(folder)}`, `cat > ${file} <<'DRAFT'`, text, 'DRAFT']
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'))
}

function quoted(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
