/** What stands between commas, without what is empty. */
export function commaList(text: string): readonly string[] {
  const items = text.split(',').map((item) => item.trim())
  return items.filter((item) => item !== '')
}
