import type { Rendered } from '../../api/shapes.js'
import { renderedTexts } from './rendered-texts.js'

/** A rendered prompt as its messages, to be read: without origins. */
export function RenderedMessages({ rendered }: { readonly rendered: Rendered }) {
  return (
    <>
      {renderedTexts(rendered).map(({ role, text }, index) => (
        <div class="message" key={index}>
          <span class={`role role-${role}`}>{role}</span>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be within reach of the keyboard */}
          <div class="side-text" tabIndex={0}>
            {text}
          </div>
        </div>
      ))}
    </>
  )
}
