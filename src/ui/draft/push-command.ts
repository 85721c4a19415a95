import type { Status } from '../api/shapes.js'

/** A draft as the file it is to be. */
export interface DraftFile {
  /** Below the catalog: `templates/review/code_review.yaml`. */
  readonly file: string
  readonly text: string
  readonly store: Status['store'] | undefined
}

/** A command for a shell that takes a draft to the store that is served: into its folder, or by `push` into its Redis. */
export function pushCommand({ file, text, store }: DraftFile): string {
  if (store?.kind === 'directory') return written(`${store.location ?? '.'}/${file}`, text)
  return `${written(`draft/${file}`, text)}npx ai-prompt-shell push draft ${quoted(addressOf(store))}\n`
}

/** A command that makes a version of what is stored. */
export function publishCommand(id: string, store: Status['store'] | undefined): string {
  const place = store?.kind === 'directory' ? store.location : addressOf(store)
  return `npx ai-prompt-shell publish ${quoted(id)} --catalog ${quoted(place ?? '.')}\n`
}

function addressOf(store: Status['store'] | undefined): string {
  return store?.location ?? 'redis://localhost:6379'
}

function written(file: string, text: string): string {
  const end = endFor(text)
  const body = text.endsWith('\n') ? text : `${text}\n`
  return `mkdir -p ${quoted(folderOf(file))}\ncat > ${quoted(file)} <<'${end}'\n${body}${end}\n`
}

/** A line that the text does not have. */
function endFor(text: string): string {
  let end = 'DRAFT'
  while (text.split('\n').includes(end)) end += '_'
  return end
}

function folderOf(file: string): string {
  return file.slice(0, file.lastIndexOf('/'))
}

function quoted(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
