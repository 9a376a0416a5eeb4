// The Debian package in trouble: its files are damaged, an upgrade, daemons and the power fail. None of this depends on
// Debian's own kernel, so the machine is of the usual kind.
import { isAdministered, opens } from './package/administration.ts'
import { survives } from './package/daemons.ts'
import { goesBack } from './package/failed-upgrade.ts'
import { Installed } from './package/installed.ts'
import { losesNothing } from './package/power-cut.ts'
import { works } from './package/work.ts'

describe('The Debian package in trouble', function () {
  const panel = new Installed()

  before(() => panel.startInstalled())
  after(() => panel.stop())

  for (const part of [opens, works, isAdministered, goesBack, survives, losesNothing]) part(panel)
})
