import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { findProgram } from './find-program.js'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']

/** Nothing of a browser's own that goes to the network or asks a person. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

const HELP = `The tests of the page need a real Chromium. Do one of these and run them again:
  - put chromium on PATH (Debian: apt-get install chromium), or name it: CHROMIUM=/path/to/chromium
  - on Debian and Ubuntu, set TEST_INSTALL_CHROMIUM=1, and the tests install that package`

/** Finds Chromium: the one that `CHROMIUM` names, else one on PATH. */
export function findBrowser(): string | undefined {
  const named = process.env['CHROMIUM']
  if (named !== undefined && named !== '') return named
  return findProgram(NAMES)
}

/** Starts a browser with a profile of its own. The caller closes it. */
export async function startBrowser(): Promise<Browser> {
  const executablePath = findBrowser()
  if (executablePath === undefined) throw new Error(HELP)
  // Read only by who starts one: every run looks for a browser.
  const { chromium } = await import('playwright-core')
  const home = mkdtempSync(join(tmpdir(), 'aps-browser-'))
  const browser = await chromium.launch({
    executablePath,
    args: ARGUMENTS,
    env: { PATH: process.env['PATH'], HOME: home },
  })
  browser.on('disconnected', () => rmSync(home, { recursive: true, force: true }))
  return browser
}
