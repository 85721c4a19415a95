import type { Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

/** One tab and its text. */
export interface Tab<Name extends string> {
  readonly name: Name
  readonly label: string
  readonly count?: number | undefined
}

interface TabsProps<Name extends string> {
  readonly label: string
  readonly tabs: readonly Tab<Name>[]
  readonly selected: Signal<Name>
  readonly children: ComponentChildren
}

/** Tabs as screen readers know them: one stop of the Tab key, arrows go from one to the next. */
export function Tabs<Name extends string>({ label, tabs, selected, children }: TabsProps<Name>) {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => showTab(list.current, document.getElementById(`${id}-${selected.value}`)), [selected.value])
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const index = tabs.findIndex(({ name }) => name === selected.value) + step
    const next = tabs[(index + tabs.length) % tabs.length]
    if (next === undefined) return
    selected.value = next.name
    document.getElementById(`${id}-${next.name}`)?.focus()
  }
  return (
    <div class="tabs">
      <div class="tab-list" role="tablist" aria-label={label} ref={list}>
        {tabs.map(({ name, label: text, count }) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${name}`}
            data-name={name}
            aria-selected={name === selected.value}
            aria-controls={`${id}-panel`}
            tabIndex={name === selected.value ? 0 : -1}
            onKeyDown={move}
            onClick={() => {
              selected.value = name
            }}
          >
            {text}
            {count !== undefined && count > 0 && <span class="count">{count}</span>}
          </button>
        ))}
      </div>
      <div class="tab-panel" role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${selected.value}`}>
        {children}
      </div>
    </div>
  )
}

/** Pixels of the tab beside it, which say that there are more. */
const MARGIN = 24

/** A narrow list scrolls to its selected tab; nothing else does. */
function showTab(list: HTMLElement | null, tab: HTMLElement | null): void {
  if (list === null || tab === null || list.scrollWidth <= list.clientWidth) return
  const [whole, part] = [list.getBoundingClientRect(), tab.getBoundingClientRect()]
  const [before, behind] = [part.left - MARGIN - whole.left, part.right + MARGIN - whole.right]
  list.scrollLeft += Math.max(0, behind) + Math.min(0, before)
}
