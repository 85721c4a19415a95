import type { Reporter, TestModule } from 'vitest/node'

/**
 * Ends a run with one plain line, `N passed, N failed`, that other programs can read; before it, a line for each test that
 * passed on its second try only.
 */
export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    let passed = 0
    let failed = unhandledErrors.length
    for (const module of modules) {
      if (module.state() === 'failed') failed += module.errors().length
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (test.diagnostic()?.flaky === true) console.log(`second try: ${test.fullName}`)
        if (state === 'passed') passed += 1
        // A test that did not run is not a success: nothing here may be skipped silently.
        else failed += 1
      }
    }
    console.log(`\n${passed} passed, ${failed} failed`)
  }
}
