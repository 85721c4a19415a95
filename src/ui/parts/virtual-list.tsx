import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'

interface VirtualListProps<Item> {
  readonly id: string
  readonly label: string
  readonly items: readonly Item[]
  readonly keyOf: (item: Item) => string
  /** What is listed: with another one the list begins at its top. */
  readonly of: string
  /** The row that is open. */
  readonly selected: string | undefined
  readonly onSelect: (item: Item) => void
  readonly children: (item: Item) => ComponentChildren
}

/** As high as `.row` is in the style sheet. */
const ROW = 52
const OVERSCAN = 6
const PAGE = 8

/** A list of any length: only the rows in sight are there. Arrows, Home, End and page keys go through it. */
export function VirtualList<Item>(props: VirtualListProps<Item>) {
  const { id, items, keyOf, selected, onSelect } = props
  const element = useRef<HTMLDivElement>(null)
  const view = useSignal({ top: 0, height: 600 })
  const active = useSignal(-1)

  const look = () => {
    const { scrollTop: top = 0, clientHeight: height = 0 } = element.current ?? {}
    view.value = { top, height }
  }
  useEffect(() => {
    const observer = new ResizeObserver(look)
    if (element.current !== null) observer.observe(element.current)
    return () => observer.disconnect()
  }, [])
  const indexOf = (list: readonly Item[], key: string | undefined) =>
    key === undefined ? -1 : list.findIndex((item) => keyOf(item) === key)
  const shown = useRef({ of: '', selected, items })
  // A new search begins at its top, or at what is open. A change of the catalog moves nothing.
  useLayoutEffect(() => {
    const before = shown.current
    // Nothing to scroll: a look would lay the page out before it has its rows.
    if (before.items.length + items.length === 0) return
    const open = indexOf(items, selected)
    const isNew = before.of !== props.of || before.selected !== selected
    if (isNew || (open >= 0 && indexOf(before.items, selected) < 0)) {
      active.value = open
      element.current?.scrollTo(0, open < 0 ? 0 : placeOf(open, view.peek()))
    } else {
      const at = before.items[active.peek()]
      active.value = indexOf(items, at && keyOf(at))
    }
    shown.current = { of: props.of, selected, items }
    look()
  }, [items, selected, props.of])

  const move = (event: KeyboardEvent) => {
    if (event.key === 'Enter' || event.key === ' ') {
      const item = items[active.value]
      if (item !== undefined) onSelect(item)
      return event.preventDefault()
    }
    const next = nextIndex(event.key, active.value, items.length)
    if (next === undefined) return
    event.preventDefault()
    active.value = next
    element.current?.scrollTo(0, placeOf(next, view.peek()))
  }

  const first = Math.max(0, Math.floor(view.value.top / ROW) - OVERSCAN)
  const last = Math.min(items.length, Math.ceil((view.value.top + view.value.height) / ROW) + OVERSCAN)
  return (
    <div
      ref={element}
      id={id}
      class="virtual-list"
      role="listbox"
      aria-label={props.label}
      tabIndex={0}
      aria-activedescendant={
        active.value >= first && active.value < last ? `${id}-${active.value}` : undefined
      }
      onScroll={look}
      onKeyDown={move}
      onFocus={() => {
        if (active.value < 0 && items.length > 0) active.value = first === 0 ? 0 : first + OVERSCAN
      }}
    >
      <div class="virtual-space" style={{ height: `${items.length * ROW}px` }}>
        {items.slice(first, last).map((item, offset) => {
          const index = first + offset
          const key = keyOf(item)
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the list around it has the keys
            // biome-ignore lint/a11y/useFocusableInteractive: the list around it has the focus
            <div
              key={key}
              id={`${id}-${index}`}
              class={index === active.value ? 'row active' : 'row'}
              role="option"
              aria-selected={key === selected}
              aria-setsize={items.length}
              aria-posinset={index + 1}
              style={{ transform: `translateY(${index * ROW}px)` }}
              onClick={() => onSelect(item)}
            >
              {props.children(item)}
            </div>
          )
        })}
      </div>
    </div>
  )
}

function nextIndex(key: string, index: number, length: number): number | undefined {
  const last = length - 1
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: index + 1,
    ArrowUp: index - 1,
    PageDown: index + PAGE,
    PageUp: index - PAGE,
    Home: 0,
    End: last,
  }
  const next = steps[key]
  return next === undefined ? undefined : Math.min(Math.max(next, 0), last)
}

/** Where to scroll so that this row is in sight: as little as that takes. */
function placeOf(index: number, { top, height }: { readonly top: number; readonly height: number }): number {
  const start = index * ROW
  if (start < top) return start
  return start + ROW > top + height ? start + ROW - height : top
}
