import type { Page } from 'playwright-core'

/** Keeps requests of a page waiting until they are let go. */
export async function holdRequests(page: Page, address: RegExp): Promise<() => void> {
  let letGo = () => {}
  const held = new Promise<void>((resolve) => {
    letGo = resolve
  })
  await page.route(address, async (route) => {
    await held
    await route.continue()
  })
  return letGo
}
