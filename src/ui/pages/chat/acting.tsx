import { useShell } from '../../shell.js'
import { callsOf } from '../prompt/tools-called.js'
import type { Workbench } from '../prompt/workbench.js'

/** Which tools an answer calls that may change something: it is said before somebody asks for one. */
export function Acting({ bench }: { readonly bench: Workbench }) {
  const { catalog, say } = useShell()
  const { writing } = callsOf(bench.preview.value.rendered, catalog)
  if (writing.length === 0) return null
  return <p class="quiet">{say('sendCalls', { names: writing.join(', ') })}</p>
}
