import { settingRows } from './config.js'
import { ERRORS } from './errors.js'

/** The generated tables of the README by the name of their marks; a test compares. */
export function readmeTables(): Readonly<Record<string, string>> {
  return { configuration: configurationTable(), errors: errorTable() }
}

/** Replaces what stands between `<!-- name -->` and `<!-- /name -->` by the table of that name. */
export function withReadmeTables(readme: string): string {
  return Object.entries(readmeTables()).reduce((text, [name, table]) => {
    const marks = new RegExp(`(<!-- ${name} -->\\n)[\\s\\S]*?(<!-- /${name} -->)`)
    return text.replace(marks, (_match, open: string, close: string) => `${open}${table}\n${close}`)
  }, readme)
}

function configurationTable(): string {
  const rows = settingRows().map(({ name, defaultValue, description, secret }) => [
    secret ? `\`${name}\`, \`${name}_FILE\`` : `\`${name}\``,
    defaultValue === '' ? '' : `\`${defaultValue}\``,
    description,
  ])
  return toTable(['variable', 'default', 'meaning'], rows)
}

function errorTable(): string {
  const rows = Object.entries(ERRORS).map(([code, { status, type, retryable, meaning }]) => [
    String(status),
    `\`${code}\``,
    `\`${type}\``,
    retryable ? 'yes' : '',
    meaning,
  ])
  const sorted = rows.toSorted((a, b) => Number(a[0]) - Number(b[0]))
  return toTable(['status', 'code', 'type', 'retry', 'meaning'], sorted)
}

function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n')
}
