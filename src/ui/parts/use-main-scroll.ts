import { useLayoutEffect, useRef } from 'preact/hooks'

/** Scrolls the page to where it was when it was left, by its address; what was never open begins at its top. */
export function useMainScroll(address: string): void {
  const places = useRef(new Map<string, number>())
  // Before the browser fires the scroll event that other content causes.
  useLayoutEffect(() => {
    const main = document.getElementById('main')
    if (main === null) return
    const wanted = places.current.get(address) ?? 0
    const controller = new AbortController()
    const listening = { signal: controller.signal, passive: true }
    const look = () => {
      main.scrollTop = wanted
      if (main.scrollTop >= wanted - 1) observer.disconnect()
    }
    // What is loaded makes it as long as it was.
    const observer = new MutationObserver(look)
    observer.observe(main, { childList: true, subtree: true })
    look()
    for (const event of ['wheel', 'touchmove', 'keydown'])
      main.addEventListener(event, () => observer.disconnect(), listening)
    main.addEventListener('scroll', () => void places.current.set(address, main.scrollTop), listening)
    return () => {
      observer.disconnect()
      controller.abort()
    }
  }, [address])
}
