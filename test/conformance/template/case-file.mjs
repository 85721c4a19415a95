/**
 * The text format of the conformance cases.
 *
 *     === what the case shows {"missingKey":"error"}
 *     {"user":{"name":"Ada"}}
 *     ---
 *     Hello {{.user.name}}
 *     --- output
 *     Hello Ada
 *
 * The options after the name may be left out: `missingKey`, `name` (of the template), `delimiters`, `print` (the
 * tree printed back is expected too), `ours` (a difference
 * from Go on purpose, by hand). Expectations are `--- output` for success, `--- error` with `--- partial` for a failed execution, `--- parse error` for a text that does not parse, `--- panic` where Go
 * itself panics and only some error is asked of the engine. A section marked `base64` holds bytes that are not
 * readable text. Lines before the first case are the file's comment.
 */
import { readFileSync } from 'node:fs'

const HEADER = /^=== (.*?)(?: (\{.*\}))?$/
const SECTION = /^---(?: (template|output|error|partial|parse error|panic|printed))?( base64)?$/
/** A text with any of these is written in base64: what an editor or a diff would hide or mangle. */
const UNREADABLE = /[\0-\x08\x0b-\x1f\x7f\ufffd\ud800-\udfff]|^(?:===|---)/mu

/** Reads a case file; bytes are Buffers. */
export function parseCases(text) {
  const cases = []
  const comment = []
  let current
  let section
  for (const line of text.replace(/\n$/, '').split('\n')) {
    const header = HEADER.exec(line)
    if (header) {
      current = {
        name: header[1],
        options: header[2] ? JSON.parse(header[2]) : {},
        sections: { data: { lines: [] } },
      }
      cases.push(current)
      section = current.sections.data
      continue
    }
    if (!current) {
      comment.push(line)
      continue
    }
    const mark = SECTION.exec(line)
    if (mark) {
      section = { lines: [], base64: mark[2] !== undefined }
      current.sections[mark[1] ?? 'template'] = section
    } else section.lines.push(line)
  }
  return { comment: comment.join('\n'), cases: cases.map(toCase) }
}

/** Reads a case file from disk. */
export function readCases(path) {
  return parseCases(readFileSync(path, 'utf8'))
}

function toCase({ name, options, sections }) {
  const bytes = (section) => {
    const text = section.lines.join('\n')
    return section.base64 ? Buffer.from(text, 'base64') : Buffer.from(text)
  }
  const found = { name, options, data: sections.data.lines.join('\n'), template: bytes(sections.template) }
  const kind = ['output', 'error', 'parse error', 'panic'].find((key) => sections[key])
  if (!kind) return found
  const expected = { kind }
  if (kind === 'output') expected.output = bytes(sections.output)
  if (kind === 'error' || kind === 'parse error') expected.error = bytes(sections[kind])
  if (kind === 'error') expected.output = sections.partial ? bytes(sections.partial) : Buffer.alloc(0)
  if (sections.printed) expected.printed = bytes(sections.printed)
  return { ...found, expected }
}

/** Writes a case file; `parseCases` reads it back. */
export function formatCases({ comment, cases }) {
  return `${comment ? `${comment}\n` : ''}${cases.map(formatCase).join('')}`
}

function formatCase({ name, options, data, template, expected }) {
  const parts = [`=== ${name}${Object.keys(options).length > 0 ? ` ${JSON.stringify(options)}` : ''}`, data]
  const add = (mark, bytes) => {
    const text = readable(bytes)
    parts.push(text === undefined ? `${mark} base64` : mark, text ?? bytes.toString('base64'))
  }
  const plain = readable(template) !== undefined
  add(plain ? '---' : '--- template', template)
  if (!expected) return `${parts.join('\n')}\n`
  if (expected.kind === 'output') add('--- output', expected.output)
  if (expected.kind === 'error' || expected.kind === 'parse error')
    add(`--- ${expected.kind}`, expected.error)
  if (expected.kind === 'error' && expected.output.length > 0) add('--- partial', expected.output)
  if (expected.kind === 'panic') parts.push('--- panic')
  if (expected.printed) add('--- printed', expected.printed)
  return `${parts.join('\n')}\n`
}

function readable(bytes) {
  const text = bytes.toString('utf8')
  const readsBack = !UNREADABLE.test(text) && !SECTION.test(text) && Buffer.from(text).equals(bytes)
  return readsBack ? text : undefined
}
