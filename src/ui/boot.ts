/** The page’s head is seen before any of the work that fills it; a page in the background is not painted. */
const load = () => import('./main.js')
if (document.hidden) load()
else requestAnimationFrame(() => setTimeout(load))
