// Mocha's "spec" picture, and in a file what the closing lines of all tiers need: the counts, each failure with its error, and the time of each test file.
const { writeFileSync } = require('node:fs')
const { relative } = require('node:path')
const { reporters } = require('mocha')

/** The cause too: of a property, only that says what was wrong with its counterexample. */
const withCauses = (error) => {
  const text = String(error?.stack ?? error?.message ?? 'no error was given')
  return error?.cause instanceof Error ? `${text}\nCause: ${withCauses(error.cause)}` : text
}

const describe = (test) => ({
  title: test.titlePath().join(' › '),
  file: test.file ?? '',
  error: withCauses(test.err),
})

/** Wall time of the suites at the top of a file, hooks included. */
class FileTimes {
  #started = new Map()
  #total = new Map()

  constructor(runner) {
    runner.on('suite', (suite) => this.#isTop(suite) && this.#started.set(suite, Date.now()))
    runner.on('suite end', (suite) => this.#isTop(suite) && this.#add(suite))
  }

  list() {
    return [...this.#total].map(([file, ms]) => ({ file, ms }))
  }

  #isTop(suite) {
    return !suite.root && suite.parent.root
  }

  #add(suite) {
    const file = relative('.', suite.file ?? '')
    this.#total.set(file, (this.#total.get(file) ?? 0) + Date.now() - this.#started.get(suite))
  }
}

module.exports = class extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options)
    const times = new FileTimes(runner)
    runner.once('end', () => {
      const { passes, failures, pending } = this.stats
      const report = {
        passed: passes,
        failed: failures,
        skipped: pending,
        failures: this.failures.map(describe),
        files: times.list(),
      }
      if (process.env.PANEL_TIER_REPORT) writeFileSync(process.env.PANEL_TIER_REPORT, JSON.stringify(report))
    })
  }
}
