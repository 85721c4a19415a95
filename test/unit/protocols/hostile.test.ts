import { describe, expect, it } from 'vitest'
import { toolProtocol } from '../../../src/protocols/tool-protocol.js'
import { TEXT_PROTOCOLS } from '../../support/generated-calls.js'
import { HOSTILE } from '../../support/hostile-texts.js'
import { readPieces, units } from '../../support/read-parts.js'

describe.each(TEXT_PROTOCOLS)('%s', (id) => {
  it.each(HOSTILE)('%j and %j again and again: the same however it is cut', (begin, piece) => {
    const text = begin + piece.repeat(Math.ceil(120 / piece.length))
    const whole = readPieces(toolProtocol(id).parser(), [text])
    expect(readPieces(toolProtocol(id).parser(), units(text))).toEqual(whole)
  })
})
