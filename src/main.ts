#!/usr/bin/env node
import { endWithNpm } from './cli/end-with-npm.js'
import { keepTicksFast } from './cli/keep-ticks-fast.js'
import { listenForSignals } from './cli/signals.js'

// Before anything else is loaded: a service that is asked to end while it starts ends in order.
const signals = listenForSignals(process)
endWithNpm({ env: process.env, parent: () => process.ppid }, signals)
keepTicksFast(process)
const { runProcess } = await import('./cli/cli.js')
process.exitCode = await runProcess(process.argv.slice(2), signals)
