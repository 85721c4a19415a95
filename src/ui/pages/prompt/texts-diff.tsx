import type { JsonObject } from '../../api/shapes.js'
import { textsOf } from '../../draft/document-texts.js'
import { DiffView } from '../../parts/diff-view.js'
import { useShell } from '../../shell.js'

interface TextsDiffProps {
  readonly before: JsonObject
  readonly after: JsonObject
}

/** What a draft changes: text by text where both have the same ones, else the whole document. */
export function TextsDiff({ before, after }: TextsDiffProps) {
  const { say } = useShell()
  const [one, other] = [textsOf(before), textsOf(after)]
  const isAligned = one.length === other.length && rest(before, one) === rest(after, other)
  if (!isAligned || one.length === 0)
    return <DiffView label={say('difference')} before={pretty(before)} after={pretty(after)} />
  return one.map(({ path, role, text }, index) => (
    <div class="message" key={path.join('.')}>
      <span class={`role role-${role}`}>{role}</span>
      <DiffView label={say('difference')} before={text} after={other[index]?.text ?? ''} />
    </div>
  ))
}

/** All of a document but its texts. */
function rest(document: JsonObject, texts: ReturnType<typeof textsOf>): string {
  const hidden = new Set(texts.map(({ text }) => text))
  return JSON.stringify(document, (_, value) => (hidden.has(value) ? '' : value))
}

function pretty(document: JsonObject): string {
  return JSON.stringify(document, undefined, 2)
}
