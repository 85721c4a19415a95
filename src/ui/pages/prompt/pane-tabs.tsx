import { useShell } from '../../shell.js'
import type { Pane, Workbench } from './workbench.js'

const PANES: readonly Pane[] = ['write', 'result', 'origin']

/** On a small screen: which part of the workbench is in sight. */
export function PaneTabs({ bench }: { readonly bench: Workbench }) {
  const { say } = useShell()
  return (
    <nav class="pane-tabs" aria-label={say('panes')}>
      {PANES.map((pane) => (
        <button
          key={pane}
          type="button"
          data-pane={pane}
          aria-pressed={bench.pane.value === pane}
          onClick={() => {
            bench.pane.value = pane
          }}
        >
          {say(pane)}
        </button>
      ))}
    </nav>
  )
}
