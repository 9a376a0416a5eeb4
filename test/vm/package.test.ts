// The Debian package on a real Debian 13, from its installation to its purge, on one machine: each part goes on from
// where the one before has left it.
import { comesBack } from './package/reboot.ts'
import { goes } from './package/removal.ts'
import { Installed } from './package/installed.ts'
import { isConfined } from './package/sandbox.ts'
import { isInstalled } from './package/install.ts'
import { isUpgraded } from './package/upgrade.ts'
import { survives } from './package/daemons.ts'
import { works } from './package/work.ts'

describe('The Debian package', function () {
  this.timeout(1_800_000)
  const panel = new Installed()

  before(() => panel.start())
  after(() => panel.stop())

  for (const part of [isInstalled, isConfined, works, isUpgraded, survives, comesBack, goes]) part(panel)
})
