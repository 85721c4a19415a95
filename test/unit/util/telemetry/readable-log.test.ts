import { describe, expect, it } from 'vitest'
import { createLogger } from '../../../../src/util/telemetry/logger.js'
import { readableLog } from '../../../../src/util/telemetry/readable-log.js'

const TIME = '2026-11-23T14:07:54.633Z'

function readableOf(record: object | string, colors = false): string {
  let text = ''
  const output = {
    write: (line: string) => {
      text += line
    },
    flush: () => {},
  }
  readableLog(output, { colors }).write(
    typeof record === 'string' ? record : `${JSON.stringify({ time: TIME, ...record })}\n`,
  )
  return text
}

describe('readableLog', () => {
  it.each([
    {
      record: { level: 30, reason: 'start', documents: 5, msg: 'catalog loaded' },
      line: '14:07:54  catalog loaded reason=start documents=5\n',
    },
    {
      record: {
        level: 30,
        requestId: 'r',
        method: 'POST',
        route: '/api/render/prompts/:id',
        status: 404,
        durationMs: 1.6,
        prompt: 'a.b',
        error: 'No prompt has the id "a.b"',
        msg: 'request',
      },
      line: '14:07:54  POST /api/render/prompts/a.b 404 2 ms: No prompt has the id "a.b"\n',
    },
    {
      record: {
        level: 40,
        method: 'POST',
        route: '/api/render',
        status: 500,
        durationMs: 1,
        code: 'template_error',
        at: 'inline:1:18',
        msg: 'request',
      },
      line: '14:07:54  warn  POST /api/render 500 1 ms: template_error at inline:1:18\n',
    },
    {
      record: {
        level: 40,
        document: '/nowhere/t.yaml',
        line: 3,
        column: 5,
        error: 'unclosed action',
        msg: 'broken',
      },
      line: '14:07:54  warn  /nowhere/t.yaml:3:5 unclosed action (broken)\n',
    },
    {
      record: { level: 40, document: '/nowhere/t.yaml', msg: 'is valid again' },
      line: '14:07:54  warn  /nowhere/t.yaml is valid again\n',
    },
    {
      record: { level: 50, err: { message: 'x' }, msg: '' },
      line: '14:07:54  error   err={"message":"x"}\n',
    },
    { record: 'not JSON\n', line: 'not JSON\n' },
  ])('$line', ({ record, line }) => {
    expect(readableOf(record)).toBe(line)
  })

  it('colors levels where it may', () => {
    expect(readableOf({ level: 40, msg: 'm' }, true)).toBe('14:07:54  \u001b[33mwarn\u001b[0m  m\n')
  })

  it('takes what a logger writes', () => {
    let text = ''
    const output = {
      write: (line: string) => {
        text += line
      },
      flush: () => {},
    }
    createLogger('info', readableLog(output, { colors: false })).warn({ a: 1 }, 'careful')
    expect(text).toMatch(/^\d\d:\d\d:\d\d {2}warn {2}careful a=1\n$/)
  })
})
