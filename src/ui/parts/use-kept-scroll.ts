import { useEffect, useRef } from 'preact/hooks'

/** Scrolls a pane to where it was when it was left, once it has something to show; its element is what it gives back. */
export function useKeptScroll<Pane extends HTMLElement>(
  places: Map<string, number>,
  name: string,
  hasContent: boolean,
) {
  const pane = useRef<Pane>(null)
  useEffect(() => {
    const element = pane.current
    if (element === null || !hasContent) return
    element.scrollTop = places.get(name) ?? 0
    const keep = () => void places.set(name, element.scrollTop)
    element.addEventListener('scroll', keep, { passive: true })
    return () => element.removeEventListener('scroll', keep)
  }, [hasContent, name])
  return pane
}
