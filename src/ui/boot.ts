import { askEarly } from './api/early.js'

/** The service is asked before anything else; it answers while the page is drawn. */
const early = askEarly(sessionStorage.getItem('key') ?? '', fetch.bind(window))

/** The page’s head is seen before any of the work that fills it; a page in the background is not painted. */
const load = async () => (await import('./main.js')).open(early)
if (document.hidden) load()
else requestAnimationFrame(() => setTimeout(load))
