import { describe, expect, it } from 'vitest'
import { readAnswerText } from '../../../src/protocols/read-answer-text.js'
import { toolProtocol } from '../../../src/protocols/tool-protocol.js'
import { busyClock } from '../../support/busy-clock.js'
import { TEXT_PROTOCOLS } from '../../support/generated-calls.js'
import { HOSTILE } from '../../support/hostile-texts.js'
import { readPieces } from '../../support/read-parts.js'
import { someOf } from '../../support/some-of.js'
import { turnsOfOthers } from '../../support/turns-of-others.js'

describe.each(TEXT_PROTOCOLS)('a long text of %s', (id) => {
  it.each(someOf(HOSTILE))(
    'that has %j and %j again and again is read as in one piece',
    async (begin, piece) => {
      const text = begin + piece.repeat(Math.ceil(6_000 / piece.length))
      const whole = readPieces(toolProtocol(id).parser(), [text])
      expect(await readAnswerText(toolProtocol(id).parser(), text)).toEqual(whole)
    },
  )

  it('lets others in', async () => {
    const text = '<'.repeat(50_000)
    busyClock()
    const turns = await turnsOfOthers(() => readAnswerText(toolProtocol(id).parser(), text))
    expect(turns).toBeGreaterThan(2)
  })
})
