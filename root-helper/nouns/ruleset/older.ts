// Ends the UDP flows that are older than the rules that come into force: their senders would be refused for as long as
// they go on.
import { comingIntoForce, listensForUdp } from '@panel/shared/ruleset/in-force.ts'
import type { RelayRule } from '@panel/shared/ruleset/model.ts'
import type { OlderFound } from '@panel/shared/ruleset/connection.ts'
import type { Params } from '@panel/shared/rpc/methods.ts'
import { isWildcard } from '@panel/shared/ruleset/canonical.ts'
import type { Kernel } from '../../kernel/facilities.ts'
import { KernelError } from '../../kernel-error.ts'
import { log } from '../../log.ts'
import { messageOf } from '../../text.ts'
import type { LinkWork } from '../../follow-links.ts'

type Flows = Pick<Kernel, 'connections' | 'rulesets'>

/** Call it once the kernel holds the rules. The change stands whether this works or not; a failure is logged. */
export async function endOlder(kernel: Flows, rules: readonly RelayRule[]): Promise<void> {
  const listeners = rules.filter(listensForUdp)
  if (listeners.length === 0) return
  try {
    const ended = await kernel.connections.older(listeners, await idsInForce(kernel), true)
    if (ended > 0) log('info', 'UDP flows older than their rules were ended', { flows: ended })
  } catch (error) {
    if (!(error instanceof KernelError)) throw error
    log('warning', 'UDP flows older than their rules could not be ended', { detail: messageOf(error) })
  }
}

/** Throws a KernelError if they cannot be read: the flows of rules that are in force would count as older. */
async function idsInForce({ rulesets }: Pick<Kernel, 'rulesets'>): Promise<ReadonlySet<number>> {
  const { is_readable, detail, rules } = await rulesets.read()
  if (!is_readable) throw new KernelError('EIO', detail)
  return new Set(rules.map(({ route_rule_id }) => route_rule_id))
}

/** For rules that a step of a change has put into the kernel. */
export const endOlderOf =
  (kernel: Flows) =>
  (before: readonly RelayRule[], after: readonly RelayRule[]): Promise<void> =>
    endOlder(kernel, comingIntoForce(before, after))

/** Counts what `endOlder` would end of rules that are not there yet. */
export async function countOlder(kernel: Flows, { listeners }: Params<'connections.older'>): Promise<OlderFound> {
  try {
    return {
      is_readable: true,
      detail: '',
      connections:
        listeners.length === 0 ? 0 : await kernel.connections.older(listeners, await idsInForce(kernel), false),
    }
  } catch (error) {
    if (!(error instanceof KernelError)) throw error
    return { is_readable: false, detail: error.message.slice(0, 300), connections: 0 }
  }
}

/**
 * At a start those of every rule, whatever brought it back; and, whenever an address comes, those of the rules that
 * listen on every address.
 */
export const followedOlder = (kernel: Flows): LinkWork => ({
  failed: (error) => log('warning', 'The addresses of the host are not followed', { detail: messageOf(error) }),
  isConcerned: (event) => event.subject === 'lost' || (event.subject === 'address' && !event.is_removal),
  async work(cause) {
    const { rules } = await kernel.rulesets.read()
    await endOlder(
      kernel,
      rules.filter(({ bind_address }) => cause === 'start' || isWildcard(bind_address)),
    )
  },
})
