import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { useShell } from '../shell.js'
import { CopyButton } from './copy-button.js'
import { type Block, blocksOf } from './markdown-blocks.js'

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
        <p key={index} class={`heading heading-${block.level}`}>
          {inline(block.text)}
        </p>
      )
    case 'code':
      return <CodeBlock key={index} text={block.text} />
    case 'rule':
      return <hr key={index} />
    case 'quote':
      return <blockquote key={index}>{block.blocks.map(viewOf)}</blockquote>
    case 'list': {
      const items = block.items.map((blocks, place) => <li key={place}>{blocks.map(viewOf)}</li>)
      return block.start === undefined ? (
        <ul key={index}>{items}</ul>
      ) : (
        <ol key={index} start={block.start}>
          {items}
        </ol>
      )
    }
    case 'table':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be within reach of the keyboard
        <table key={index} tabIndex={0}>
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

/** Code, bold, slanted, struck out, and links that lead to the web. */
const INLINE =
  /`([^`]+)`|\*\*(.+?)\*\*|__(.+?)__|\*([^*\s][^*]*)\*|(?<![\p{L}\p{N}])_([^_\s][^_]*)_(?![\p{L}\p{N}])|~~(.+?)~~|\[([^\]]+)\]\((https?:\/\/[^\s)]+)\)|(https?:\/\/[^\s<>"']*[\p{L}\p{N}/])/gu

function inline(text: string): ComponentChildren[] {
  const children: ComponentChildren[] = []
  let end = 0
  for (const found of text.matchAll(INLINE)) {
    children.push(text.slice(end, found.index), elementOf(found))
    end = found.index + found[0].length
  }
  children.push(text.slice(end))
  return children
}

function elementOf(found: RegExpExecArray): ComponentChildren {
  const [whole, code, bold, alsoBold, slanted, alsoSlanted, struck, label, address = whole] = found
  const [strong, em] = [bold ?? alsoBold, slanted ?? alsoSlanted]
  if (code !== undefined) return <code>{code}</code>
  if (strong !== undefined) return <strong>{inline(strong)}</strong>
  if (em !== undefined) return <em>{inline(em)}</em>
  if (struck !== undefined) return <del class="struck">{inline(struck)}</del>
  return (
    <a href={address} rel="noopener noreferrer" target="_blank">
      {label ?? address}
    </a>
  )
}
