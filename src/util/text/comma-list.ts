/** The parts between commas, without empty ones. */
export function commaList(text: string): readonly string[] {
  const items = text.split(',').map((item) => item.trim())
  return items.filter((item) => item !== '')
}
