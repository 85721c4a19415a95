import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { clientProject } from './client-project.js'

const document = resolve(import.meta.dirname, '../../openapi.yaml')

it('redocly finds nothing in openapi.yaml by its recommended rules', () => {
  const project = clientProject({ '@redocly/cli': '2.77.0' })
  const program = join(project, 'node_modules/@redocly/cli/bin/cli.js')
  const { status, stdout } = spawnSync(process.execPath, [program, 'lint', '--format=json', document], {
    cwd: project,
    encoding: 'utf8',
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  })
  expect([status, JSON.parse(stdout).problems]).toEqual([0, []])
}, 200_000)
