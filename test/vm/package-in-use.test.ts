// The Debian package in use: an administrator opens it, it is taken away with all that it made, and it is installed
// again. None of this depends on Debian's own kernel, so the machine is of the usual kind.
import { opens } from './package/administration.ts'
import { isAtHand } from './package/command.ts'
import { Installed } from './package/installed.ts'
import { comesAgain, isTakenDown } from './package/removal.ts'
import { works } from './package/work.ts'

describe('The Debian package in use', function () {
  const panel = new Installed()

  before(() => panel.startInstalled())
  after(() => panel.stop())

  for (const part of [opens, works, isAtHand, isTakenDown, comesAgain]) part(panel)
})
