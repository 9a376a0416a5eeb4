// Mocha's "spec" picture, and the counts in a file for the closing line of all tiers.
const { writeFileSync } = require('node:fs')
const { reporters } = require('mocha')

module.exports = class extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options)
    runner.once('end', () => {
      const { passes, failures, pending } = this.stats
      if (process.env.PANEL_TIER_REPORT) writeFileSync(process.env.PANEL_TIER_REPORT, JSON.stringify({ passed: passes, failed: failures, skipped: pending }))
    })
  }
}
