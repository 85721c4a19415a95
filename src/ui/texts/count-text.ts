/**
 * A whole number as both languages write it, with a comma between thousands. `toLocaleString` reads the browser's tables of
 * locales first, which costs as much as drawing the first view.
 */
export function countText(count: number): string {
  return String(count).replace(/(?<=\d)(?=(\d{3})+$)/g, ',')
}
