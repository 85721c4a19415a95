/**
 * Makes a failing case smaller while `stillFails` says that it fails in the same way: pieces of the template are
 * dropped, larger ones first, then parts of the data.
 */
export async function shrink(testCase, stillFails, budget = 600) {
  let best = testCase
  let left = budget
  const attempt = async (candidate) => {
    if (left <= 0) return false
    left--
    if (!(await stillFails(candidate))) return false
    best = candidate
    return true
  }
  for (let size = -1; size !== sizeOf(best) && left > 0; ) {
    size = sizeOf(best)
    for (const pieces of [byAction, byToken, byCharacter]) await dropPieces(pieces, () => best, attempt)
    await simplifyData(() => best, attempt)
    for (const name of Object.keys(best.options)) {
      const { [name]: _dropped, ...options } = best.options
      await attempt({ ...best, options })
    }
  }
  return best
}

const sizeOf = ({ template, data, options }) => template.length + data.length + Object.keys(options).length

const byAction = (text) => text.split(/(\{\{.*?\}\}|\n)/s).filter(Boolean)
const byToken = (text) => text.match(/\w+|\{\{|\}\}|"(?:[^"\\]|\\.)*"|\s+|./gsu) ?? []
const byCharacter = (text) => (text.length <= 80 ? [...text] : [])

/** Drops runs of pieces: halves, quarters, … single ones. */
async function dropPieces(split, current, attempt) {
  let pieces = split(current().template.toString())
  for (let run = Math.ceil(pieces.length / 2); run >= 1; run = run === 1 ? 0 : Math.ceil(run / 2)) {
    for (let at = 0; at < pieces.length; ) {
      const rest = [...pieces.slice(0, at), ...pieces.slice(at + run)]
      if (await attempt({ ...current(), template: Buffer.from(rest.join('')) })) pieces = rest
      else at += run
    }
  }
}

async function simplifyData(current, attempt) {
  for (const simple of ['null', '{}', '[]', '1']) {
    if (current().data === simple || current().data.length <= simple.length) break
    if (await attempt({ ...current(), data: simple })) return
  }
  for (let progress = true; progress; ) {
    progress = false
    for (const smaller of smallerTexts(current().data)) {
      if (await attempt({ ...current(), data: smaller })) {
        progress = true
        break
      }
    }
  }
}

/** JSON texts with one member or element less, or one value replaced by 1. */
function smallerTexts(text) {
  const found = []
  for (let at = 0; at < text.length; at++) {
    const before = text[at - 1]
    if (at > 0 && before !== '{' && before !== '[' && before !== ',' && before !== ':') continue
    const end = endOfMember(text, at)
    if (end <= at) continue
    if (before === ',') found.push(text.slice(0, at - 1) + text.slice(end))
    else if (before === '{' || before === '[')
      found.push(text.slice(0, at) + text.slice(text[end] === ',' ? end + 1 : end))
    else if (before === ':' && end - at > 1) found.push(`${text.slice(0, at)}1${text.slice(end)}`)
  }
  return found.filter(isJson)
}

/** Where the member or element that starts at `start` ends. */
function endOfMember(text, start) {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const character = text[at]
    if (character === '"') at = endOfString(text, at)
    else if (character === '{' || character === '[') depth++
    else if (character === '}' || character === ']') {
      if (depth === 0) return at
      depth--
    } else if (character === ',' && depth === 0) return at
  }
  return text.length
}

function endOfString(text, start) {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at
  }
  return text.length
}

function isJson(text) {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
