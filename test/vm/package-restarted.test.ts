// The Debian package from its installation to its purge: its daemons are upgraded, restarted and killed under 200 relayed
// connections. Nothing here depends on how Debian compiles the kernel, so the machine is of the usual kind, which takes a
// sixth of the processor time of an emulated one.
import { goes } from './package/removal.ts'
import { Installed, thePackage } from './package/installed.ts'
import { isInstalled } from './package/install.ts'
import { RelayedFlows } from './package/relayed-flows.ts'
import { relays } from './package/relays.ts'
import { carriesFlows, isUpgraded } from './package/upgrade.ts'
import { works } from './package/work.ts'

describe('The Debian package restarted', function () {
  const panel = new Installed()
  const flows = new RelayedFlows(panel)

  before(() => Promise.all([panel.start(), thePackage()]))
  after(() => panel.stop())

  for (const part of [isInstalled, works, carriesFlows, isUpgraded, relays]) part(panel, flows)

  describe('and taken away', () => {
    before(async () => {
      await flows.cutOff()
      await flows.remove()
    })

    goes(panel)
  })
})
