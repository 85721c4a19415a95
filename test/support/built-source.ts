import { resolve } from 'node:path'

const dist = resolve(import.meta.dirname, '../../dist')

/** What the compiler and the bundler made: Node reads it itself. */
export const BUILT = /\/dist\/.*\.js$/

/**
 * For a run that has just built (`vitest --mode built`): where tests import the source they get what the compiler made
 * of it, as users do, and in a fraction of the time. All but the page, which is no module of Node's.
 *
 * @returns aliases of modules; none for any other mode, where a change needs no build
 */
export function builtSource(
  mode: string,
): readonly { readonly find: RegExp; readonly replacement: string }[] {
  const source = /^(?:\.\.\/)+src\/(?!ui\/)(.+)\.js$/
  return mode === 'built' ? [{ find: source, replacement: `${dist}/$1.js` }] : []
}
