import { useMemo } from 'preact/hooks'
import { wordDiff } from '../draft/word-diff.js'
import { useShell } from '../shell.js'

interface DiffViewProps {
  readonly label: string
  readonly before: string
  readonly after: string
}

/** What differs between two texts, by words. */
export function DiffView({ label, before, after }: DiffViewProps) {
  const { say } = useShell()
  const changes = useMemo(() => wordDiff(before, after), [before, after])
  if (before === after) return <p class="quiet">{say('noDifference')}</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be within reach of the keyboard
    <section class="diff" aria-label={label} tabIndex={0}>
      {changes.map(({ kind, text }, index) => {
        if (kind === 'same') return text
        return kind === 'added' ? <ins key={index}>{text}</ins> : <del key={index}>{text}</del>
      })}
    </section>
  )
}
