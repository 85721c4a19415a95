import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { useShell } from '../shell.js'
import { CopyButton } from './copy-button.js'

/** A block of a Markdown text. */
type Block =
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'list'; readonly isOrdered: boolean; readonly items: readonly string[] }
  | { readonly kind: 'table'; readonly rows: readonly (readonly string[])[] }

/** The Markdown that models write, as elements: nothing of it is ever parsed as HTML. */
export function MarkdownView({ text }: { readonly text: string }) {
  const blocks = useMemo(() => blocksOf(text), [text])
  return <div class="markdown">{blocks.map(viewOf)}</div>
}

function viewOf(block: Block, index: number) {
  switch (block.kind) {
    case 'paragraph':
      return <p key={index}>{inline(block.text)}</p>
    case 'heading':
      return (
        <p key={index} class="heading">
          {inline(block.text)}
        </p>
      )
    case 'code':
      return <CodeBlock key={index} text={block.text} />
    case 'list': {
      const items = block.items.map((item, place) => <li key={place}>{inline(item)}</li>)
      return block.isOrdered ? <ol key={index}>{items}</ol> : <ul key={index}>{items}</ul>
    }
    case 'table':
      return (
        <table key={index}>
          <tbody>
            {block.rows.map((cells, row) => (
              <tr key={row}>
                {cells.map((cell, place) =>
                  row === 0 ? <th key={place}>{inline(cell)}</th> : <td key={place}>{inline(cell)}</td>,
                )}
              </tr>
            ))}
          </tbody>
        </table>
      )
  }
}

function CodeBlock({ text }: { readonly text: string }) {
  const { say } = useShell()
  return (
    <div class="code-block">
      <CopyButton label={say('copy')} text={() => text} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be within reach of the keyboard */}
      <pre tabIndex={0}>{text}</pre>
    </div>
  )
}

const FENCE = /^\s*(?:```|~~~)/
const HEADING = /^(#{1,6})\s+(.*)$/
const ITEM = /^\s*(?:([-*+])|\d{1,9}[.)])\s+(.*)$/
const ROW = /^\s*\|(.*)\|\s*$/
const RULE = /^\s*\|[\s:|-]+\|\s*$/

function blocksOf(text: string): readonly Block[] {
  const lines = text.split('\n')
  const blocks: Block[] = []
  for (let at = 0; at < lines.length; ) {
    const { block, next } = blockAt(lines, at)
    if (block !== undefined) blocks.push(block)
    at = next
  }
  return blocks
}

function blockAt(lines: readonly string[], at: number): { readonly block?: Block; readonly next: number } {
  const line = lines[at] ?? ''
  if (line.trim() === '') return { next: at + 1 }
  if (FENCE.test(line)) {
    const end = endOf(lines, at + 1, (each) => !FENCE.test(each))
    return { block: { kind: 'code', text: lines.slice(at + 1, end).join('\n') }, next: end + 1 }
  }
  const [, marks, title] = HEADING.exec(line) ?? []
  if (marks !== undefined)
    return { block: { kind: 'heading', level: marks.length, text: title ?? '' }, next: at + 1 }
  if (ROW.test(line)) {
    const end = endOf(lines, at, (each) => ROW.test(each))
    const rows = lines.slice(at, end).filter((each) => !RULE.test(each))
    return { block: { kind: 'table', rows: rows.map(cellsOf) }, next: end }
  }
  const item = ITEM.exec(line)
  if (item !== null) {
    const end = endOf(lines, at, (each) => ITEM.test(each) || /^\s+\S/.test(each))
    return {
      block: { kind: 'list', isOrdered: item[1] === undefined, items: itemsOf(lines.slice(at, end)) },
      next: end,
    }
  }
  const end = endOf(lines, at, (each) => each.trim() !== '' && !FENCE.test(each) && !ITEM.test(each))
  return { block: { kind: 'paragraph', text: lines.slice(at, end).join('\n') }, next: Math.max(end, at + 1) }
}

/** The first line from here that is not part of the block. */
function endOf(lines: readonly string[], at: number, isPart: (line: string) => boolean): number {
  let end = at
  while (end < lines.length && isPart(lines[end] ?? '')) end += 1
  return end
}

function itemsOf(lines: readonly string[]): readonly string[] {
  const items: string[] = []
  for (const line of lines) {
    const [, , text] = ITEM.exec(line) ?? []
    if (text !== undefined) items.push(text)
    else items.push(`${items.pop() ?? ''}\n${line.trim()}`)
  }
  return items
}

function cellsOf(line: string): readonly string[] {
  return (ROW.exec(line)?.[1] ?? '').split('|').map((cell) => cell.trim())
}

/** Code, bold, slanted, and links that lead to the web. */
const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*|\[([^\]]+)\]\((https?:\/\/[^\s)]+)\)/g

function inline(text: string): ComponentChildren[] {
  const children: ComponentChildren[] = []
  let end = 0
  for (const found of text.matchAll(INLINE)) {
    children.push(text.slice(end, found.index))
    const [whole, code, bold, slanted, label, address] = found
    if (code !== undefined) children.push(<code>{code}</code>)
    else if (bold !== undefined) children.push(<strong>{bold}</strong>)
    else if (slanted !== undefined) children.push(<em>{slanted}</em>)
    else if (address !== undefined)
      children.push(
        <a href={address} rel="noopener noreferrer" target="_blank">
          {label}
        </a>,
      )
    end = found.index + whole.length
  }
  children.push(text.slice(end))
  return children
}
