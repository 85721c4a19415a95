import { type Extension, Prec, StateEffect, StateField } from '@codemirror/state'
import { EditorView, keymap, showTooltip, type Tooltip } from '@codemirror/view'
import { type Known, type Suggestion, suggest } from './suggest.js'

/** What is offered at the cursor. */
interface Offer extends Suggestion {
  readonly chosen: number
}

const choose = StateEffect.define<number>()
const dismiss = StateEffect.define<null>()

/** Offers what the service knows while somebody writes in an action: arrows choose, Enter and Tab take, Escape closes. */
export function completion(known: () => Known, label: () => string): Extension {
  const field = StateField.define<Offer | undefined>({
    create: () => undefined,
    update(before, transaction) {
      const { docChanged, effects, selection, newDoc, newSelection } = transaction
      if (effects.some((effect) => effect.is(dismiss))) return undefined
      const moved = effects.find((effect) => effect.is(choose))
      if (moved !== undefined && before !== undefined) return { ...before, chosen: moved.value }
      const { head, empty } = newSelection.main
      const isWriting = docChanged && ['input', 'delete'].some((kind) => transaction.isUserEvent(kind))
      if (!isWriting) return docChanged || selection !== undefined ? undefined : before
      const found = empty ? suggest(newDoc.sliceString(0, head), known()) : undefined
      return found && { ...found, chosen: 0 }
    },
    provide: (self) =>
      showTooltip.from(self, (offer) => (offer === undefined ? null : tooltipOf(offer, label()))),
  })
  const move = (step: number) => (view: EditorView) => {
    const offer = view.state.field(field)
    if (offer === undefined) return false
    const { length } = offer.options
    view.dispatch({ effects: choose.of((offer.chosen + step + length) % length) })
    return true
  }
  const take = (view: EditorView) => {
    const offer = view.state.field(field)
    const option = offer?.options[offer.chosen]
    if (offer === undefined || option === undefined) return false
    accept(view, offer, option)
    return true
  }
  const close = (view: EditorView) => {
    if (view.state.field(field) === undefined) return false
    view.dispatch({ effects: dismiss.of(null) })
    return true
  }
  return [
    field,
    EditorView.contentAttributes.compute([field], (state) => ({
      'aria-autocomplete': 'list',
      ...(state.field(field) !== undefined && {
        'aria-controls': LIST,
        'aria-activedescendant': `${LIST}-${state.field(field)?.chosen}`,
      }),
    })),
    Prec.highest(
      keymap.of([
        { key: 'ArrowDown', run: move(1) },
        { key: 'ArrowUp', run: move(-1) },
        { key: 'Enter', run: take },
        { key: 'Tab', run: take },
        { key: 'Escape', run: close },
      ]),
    ),
  ]
}

const LIST = 'suggestions'

function accept(view: EditorView, { from }: Offer, option: string): void {
  const to = view.state.selection.main.head
  view.dispatch({
    changes: { from, to, insert: option },
    selection: { anchor: from + option.length },
    userEvent: 'complete',
  })
}

function tooltipOf(offer: Offer, label: string): Tooltip {
  return {
    pos: offer.from,
    create: (view) => {
      const dom = document.createElement('ul')
      dom.className = 'cm-offer'
      dom.id = LIST
      dom.setAttribute('role', 'listbox')
      dom.setAttribute('aria-label', label)
      offer.options.forEach((option, index) => {
        const row = document.createElement('li')
        row.id = `${LIST}-${index}`
        row.setAttribute('role', 'option')
        row.setAttribute('aria-selected', String(index === offer.chosen))
        row.textContent = option
        row.addEventListener('mousedown', (event) => {
          event.preventDefault()
          accept(view, offer, option)
        })
        dom.append(row)
      })
      return { dom, mount: () => dom.children[offer.chosen]?.scrollIntoView({ block: 'nearest' }) }
    },
  }
}
