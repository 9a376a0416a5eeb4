// A helper over a fake kernel whose disk and clock outlive it, so that it can be killed and started again.
import assert from 'node:assert/strict'
import type { Change } from '@panel/shared/change/change.ts'
import type { Outcome } from '@panel/shared/rpc/outcome.ts'
import type { RelayRule } from '@panel/shared/ruleset/model.ts'
import type { TunnelState } from '@panel/shared/tunnel/model.ts'
import type { WindowFound, WindowStart } from '@panel/shared/window/model.ts'
import { handlersFor, type Handlers, type HelperDeps } from '@panel/root-helper/handlers.ts'
import type { Kernel } from '@panel/root-helper/kernel/facilities.ts'
import { journalIn } from '@panel/root-helper/kernel/files/journal.ts'
import { holdsRules, startRules } from '@panel/root-helper/nouns/ruleset/start.ts'
import { transactionsOf } from '@panel/root-helper/nouns/transactions.ts'
import { recover } from '@panel/root-helper/recover.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { FakeKernel } from '../../support/fake-kernel.ts'
import { fakeWindows } from '../../support/in-process-helper.ts'
import { memoryFolder } from '../../support/memory-folder.ts'

export const ID = 'a'.repeat(32)
export const OTHER_ID = 'b'.repeat(32)

const notAsked = (): Promise<never> => Promise.reject(new Error('This is not asked'))

export class Root {
  readonly kernel = new FakeKernel()
  readonly clock = new FakeClock()
  readonly folder = memoryFolder()
  boot = 'the first boot'
  handlers!: Handlers
  windows!: HelperDeps['windows']

  /** What the next helper does before it serves; `kernel` may have a fault in it. */
  async start(kernel: Kernel = this.kernel): Promise<this> {
    const journal = journalIn(this.folder)
    const made = fakeWindows(kernel, { journal, clock: this.clock, folder: this.folder, boot_id: this.boot })
    this.windows = made.windows
    const facts = { helperFacts: notAsked, findTools: notAsked, findListeners: notAsked, stateTrouble: notAsked }
    this.handlers = handlersFor({ kernel, journal, ...made, ...facts })
    const hadTable = await holdsRules(kernel)
    await recover(journal, transactionsOf(kernel, journal))
    await made.windows.resume()
    await startRules(kernel, journal, hadTable)
    return this
  }

  /** The power is cut: links and rules of the kernel are gone, what is on the disk stays, and its units make links. */
  async reboot(): Promise<this> {
    this.boot = `${this.boot} and another`
    this.kernel.rulesets.flush()
    return this.start()
  }

  open = (seconds = 60, starts: WindowStart = 'now'): Promise<WindowFound> =>
    this.handlers['window.open']({ window_id: ID, seconds, starts })

  tunnel = (before: TunnelState | null, after: TunnelState | null): Promise<Outcome> =>
    this.handlers['tunnel.apply']({ before, after })

  adopt = ({ interface_name, link }: TunnelState): Promise<object> =>
    this.handlers['tunnel.adopt']({ interface_name, link: link ?? assert.fail('no link') })

  isOurs = async (interface_name: string): Promise<boolean | undefined> =>
    (await this.handlers['tunnel.probe']({ interface_names: [interface_name] })).tunnels[0]?.is_ours

  rules = (before: RelayRule[], after: RelayRule[]): Promise<Outcome> =>
    this.handlers['ruleset.apply'](change(before, after))

  async forward(is_on: boolean): Promise<Outcome> {
    const { state } = await this.handlers['forwarding.probe']({})
    return this.handlers['forwarding.apply']({
      before: state,
      after: { ...state, live: { ...state.live, ipv4: is_on } },
    })
  }

  picture = (): string => this.kernel.picture()
}

const change = (before: RelayRule[], after: RelayRule[]): Change<RelayRule[]> => ({
  before: before.length > 0 ? before : null,
  after: after.length > 0 ? after : null,
})
