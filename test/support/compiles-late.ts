/**
 * Arguments of a process that runs most of its code a few times: the optimizing compiler of Node 20, which takes a fifth
 * of such a process's time, waits for what runs very often. Later releases have one between it and the interpreter.
 */
export const COMPILES_LATE: readonly string[] = process.versions.node.startsWith('20.')
  ? ['--interrupt-budget=4000000']
  : []
