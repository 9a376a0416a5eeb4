// The Debian package in use: an administrator opens it, an upgrade, daemons and the power fail, it is taken away with
// all that it made, and it is installed again. None of this depends on Debian's own kernel, so the machine is of the
// usual kind, which is much quicker.
import { isAdministered, opens } from './package/administration.ts'
import { isAtHand } from './package/command.ts'
import { survives } from './package/daemons.ts'
import { goesBack } from './package/failed-upgrade.ts'
import { Installed, thePackage } from './package/installed.ts'
import { losesNothing } from './package/power-cut.ts'
import { comesAgain, isTakenDown } from './package/removal.ts'
import { works } from './package/work.ts'

describe('The Debian package in use', function () {
  const panel = new Installed()

  before(async () => {
    await Promise.all([panel.start(), thePackage()])
    await panel.install(await thePackage())
  })
  after(() => panel.stop())

  for (const part of [
    opens,
    works,
    isAtHand,
    isAdministered,
    goesBack,
    survives,
    losesNothing,
    isTakenDown,
    comesAgain,
  ])
    part(panel)
})
