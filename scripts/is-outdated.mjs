// Whether what a script writes is older than what it is made of: builds that have nothing to do take no time.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/**
 * @param {string} output the file that is written last
 * @param {readonly string[]} inputs files and directories
 */
export function isOutdated(output, inputs) {
  const written = writtenAt(output)
  return inputs.flatMap(filesAt).some((file) => writtenAt(file) > written)
}

function filesAt(path) {
  // Of a folder the time counts, too: it tells that a file is gone.
  return statSync(path).isDirectory()
    ? [path, ...readdirSync(path, { recursive: true }).map((name) => join(path, name))]
    : [path]
}

/** In milliseconds; 0 when it is not there. */
function writtenAt(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
}
