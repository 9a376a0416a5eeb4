// Mocha's "spec" picture, and in a file what the closing lines of all tiers tell: the counts, and each failure with its error.
const { writeFileSync } = require('node:fs')
const { reporters } = require('mocha')

const told = (test) => ({
  title: test.titlePath().join(' › '),
  file: test.file ?? '',
  error: String(test.err?.stack ?? test.err?.message ?? 'no error was given'),
})

module.exports = class extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options)
    runner.once('end', () => {
      const { passes, failures, pending } = this.stats
      const report = { passed: passes, failed: failures, skipped: pending, failures: this.failures.map(told) }
      if (process.env.PANEL_TIER_REPORT) writeFileSync(process.env.PANEL_TIER_REPORT, JSON.stringify(report))
    })
  }
}
