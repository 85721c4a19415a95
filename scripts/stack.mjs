// Finds the source of each place of the package's bundle that a stack trace or a line of the log names: functions shorter than
// those that keep their names are `t` or `n` there. Needs a clone of the same version, with `npm ci`.
//
//   npm run stack < trace.txt
import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { join, resolve } from 'node:path'
import { parseSync } from 'rolldown/utils'
import { inAscii, lineStarts, makeBundle } from './bundle.mjs'

const root = resolve(import.meta.dirname, '..')
/** `file:///…/dist/bundle/service.js:12:34`, also without what comes before `dist`. */
const PLACE = /[^\s()"]*dist\/bundle\/([\w-]+\.js):(\d+):(\d+)/g

/** A frame whose place has been replaced: the name that it has in the bundle goes. */
const FRAME = /\bat (async )?[^\n]*? \((\S+) (src\/\S+)\)/g

/** The text with the function and the line of the source in place of each place in the bundle. */
async function withSources(text) {
  const files = new Map((await makeBundle(true)).map((file) => [file.fileName, file]))
  const sources = new Map()
  const placed = text.replaceAll(PLACE, (place, name, line, column) => {
    const file = files.get(name)
    const found = file === undefined ? undefined : sourceOf(file, Number(line), Number(column))
    if (found === undefined) return place
    return `${functionAt(found, sources)} ${found.path}:${found.line}:${found.column}`
  })
  return placed.replaceAll(FRAME, (_frame, isAsync = '', name, place) => `at ${isAsync}${name} (${place})`)
}

/** Where a place of a written file comes from: lines and columns from 1. */
function sourceOf({ fileName, code, map }, line, column) {
  const starts = lineStarts(fileName, code)
  const written = starts.map((start, index) => code.slice(start, starts[index + 1]))
  const lines = written.join('\n').split('\n')
  const before = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0)
  const at = before + unitsBefore(lines[line - 1] ?? '', column)
  const breaks = written.findIndex((_, index) => lengthUpTo(written, index) > at)
  const [made = '', ...rest] = code
    .slice(0, at - breaks)
    .split('\n')
    .reverse()
  const entry = new SourceMap(map).findEntry(rest.length, made.length)
  if (entry.originalSource === undefined) return undefined
  const path = entry.originalSource.replace(/^(?:\.\.\/)+/, '')
  return { path, line: entry.originalLine + 1, column: entry.originalColumn + 1 }
}

/** Of a line, before a column of the same line as it is written, in ASCII. */
function unitsBefore(line, column) {
  let width = 0
  let units = 0
  for (; width < column - 1 && units < line.length; units += 1) width += inAscii(line[units]).length
  return units
}

/** Characters of the written lines up to one, with their line breaks. */
function lengthUpTo(written, index) {
  return written.slice(0, index + 1).reduce((sum, each) => sum + each.length + 1, 0)
}

/** The name of the innermost function or method around a place of a source. */
function functionAt({ path, line, column }, sources) {
  if (!sources.has(path)) sources.set(path, readFileSync(join(root, path), 'utf8'))
  const text = sources.get(path)
  const at =
    text
      .split('\n')
      .slice(0, line - 1)
      .join('\n').length + column
  let name = '<module>'
  visit(parseSync(path, text).program, undefined)
  return name

  function visit(node, given) {
    if (node === null || typeof node !== 'object') return
    if (Array.isArray(node)) {
      for (const each of node) visit(each, given)
      return
    }
    if (node.start > at || node.end < at) return
    if (/Function/.test(node.type)) name = node.id?.name ?? given ?? '<anonymous>'
    const own = node.key?.name ?? node.id?.name
    for (const child of Object.values(node)) visit(child, own)
  }
}

process.stdout.write(await withSources(readFileSync(0, 'utf8')))
