import type { Reporter, TestModule, Vitest } from 'vitest/node'

/**
 * Ends a run with one plain line, `N passed, N failed`, that other programs can read; before it, a line for each test that
 * failed (or did not run) or passed on its second try only, and for each error of a suite or that no test caught.
 */
export default class ClosingLineReporter implements Reporter {
  #isFiltered = false

  onInit({ config }: Vitest): void {
    // `-t` says which tests not to run.
    this.#isFiltered = config.testNamePattern !== undefined
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    let passed = 0
    const failures: string[] = unhandledErrors.map((error) => `unhandled: ${firstLine(error)}`)
    for (const module of modules) {
      const { relativeModuleId: file } = module
      failures.push(...module.errors().map((error) => `failed: ${file}: ${firstLine(error)}`))
      for (const suite of module.children.allSuites())
        failures.push(
          ...suite.errors().map((error) => `failed: ${file} > ${suite.fullName}: ${firstLine(error)}`),
        )
      for (const test of module.children.allTests()) {
        if (test.diagnostic()?.flaky === true) console.log(`second try: ${file} > ${test.fullName}`)
        // A test that did not run is not a success: nothing here may be skipped silently.
        const { state } = test.result()
        if (state === 'passed') passed += 1
        else if (state !== 'skipped' || !this.#isFiltered) failures.push(`failed: ${file} > ${test.fullName}`)
      }
    }
    for (const failure of failures) console.log(failure)
    const failed = failures.length
    console.log(`\n${passed} passed, ${failed} failed`)
  }
}

function firstLine(error: unknown): string {
  const message = error instanceof Error || isSerialized(error) ? error.message : String(error)
  return message.split('\n', 1)[0] ?? ''
}

/** What a worker threw arrives as plain data. */
function isSerialized(error: unknown): error is { readonly message: string } {
  return (
    typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string'
  )
}
