import { SHORT_TEXT } from '../cost.js'
import { definer, type LibraryFunction } from './library-function.js'

const define = definer('Paths and URLs', SHORT_TEXT)

/** Functions of slash-separated paths, as Go's package path. */
export const PATH_FUNCTIONS: readonly LibraryFunction[] = [
  define('base path', 'The last element.', {
    parameters: ['string'],
    returns: 'string',
    aliases: ['osBase'],
    call: base,
    example: '{{base "src/template/value.ts"}}',
  }),
  define('dir path', 'All but the last element.', {
    parameters: ['string'],
    returns: 'string',
    aliases: ['osDir'],
    call: (path: string) => clean(path.slice(0, path.lastIndexOf('/') + 1)),
    example: '{{dir "src/template/value.ts"}}',
  }),
  define('ext path', 'The file name extension with its point.', {
    parameters: ['string'],
    returns: 'string',
    aliases: ['osExt'],
    call: extension,
    example: '{{ext "src/template/value.ts"}}',
  }),
  define('clean path', 'The shortest path of the same meaning.', {
    parameters: ['string'],
    returns: 'string',
    aliases: ['osClean'],
    call: clean,
    example: '{{clean "a/../b//c"}}',
  }),
  define('isAbs path', 'True if the path starts at the root.', {
    parameters: ['string'],
    returns: 'bool',
    aliases: ['osIsAbs'],
    call: (path: string) => path.startsWith('/'),
    example: '{{isAbs "/etc"}}',
  }),
]

function base(path: string): string {
  if (path === '') return '.'
  let end = path.length
  while (end > 0 && path.charAt(end - 1) === '/') end--
  if (end === 0) return '/'
  return path.slice(path.lastIndexOf('/', end - 1) + 1, end)
}

/** path.Ext: from the last point of the last element. */
function extension(path: string): string {
  const point = path.lastIndexOf('.')
  return point > path.lastIndexOf('/') ? path.slice(point) : ''
}

/** path.Clean. */
function clean(path: string): string {
  const isRooted = path.startsWith('/')
  const kept: string[] = []
  let parents = 0
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') kept.push(part)
    else if (kept.length > parents) kept.pop()
    else if (!isRooted) {
      kept.push(part)
      parents++
    }
  }
  const text = kept.join('/')
  return isRooted ? `/${text}` : text || '.'
}
