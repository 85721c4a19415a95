import { readFileSync, writeFileSync } from 'node:fs'

/** Puts a section of level two into a Markdown file, instead of the one of that name. */
export function writeSection(file: string, title: string, content: string): void {
  const text = readFileSync(file, 'utf8')
  const heading = `## ${title}\n`
  const start = text.indexOf(`\n${heading}`)
  const next = start === -1 ? -1 : text.indexOf('\n## ', start + heading.length)
  const before = start === -1 ? `${text.trimEnd()}\n` : text.slice(0, start)
  const after = next === -1 ? '' : text.slice(next)
  writeFileSync(file, `${before}\n${heading}\n${content.trimEnd()}\n${after}`)
}
