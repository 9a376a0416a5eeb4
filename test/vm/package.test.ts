// The Debian package on a real Debian 13 with Debian's own kernel and its modules: installed, confined, at work, and there
// again after a reboot. Each part goes on from where the one before has left it.
import { comesBack } from './package/reboot.ts'
import { Installed, thePackage } from './package/installed.ts'
import { isConfined } from './package/sandbox.ts'
import { isInstalled } from './package/install.ts'
import { carriesFlows } from './package/upgrade.ts'
import { RelayedFlows } from './package/relayed-flows.ts'
import { works } from './package/work.ts'

describe('The Debian package', function () {
  const panel = new Installed('emulated')
  const flows = new RelayedFlows(panel)

  before(() => Promise.all([panel.start(), thePackage()]))
  after(() => panel.stop())

  for (const part of [isInstalled, isConfined, works, carriesFlows, comesBack]) part(panel, flows)
})
