// Ends the UDP flows that are older than the rules that come into force: their senders would be refused for as long as
// they go on.
import { comingIntoForce, listensForUdp } from '@panel/shared/ruleset/in-force.ts'
import type { RelayRule } from '@panel/shared/ruleset/model.ts'
import type { OlderFound } from '@panel/shared/ruleset/connection.ts'
import type { Params } from '@panel/shared/rpc/methods.ts'
import { isWildcard } from '@panel/shared/ruleset/canonical.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Kernel } from '../../kernel/facilities.ts'
import { KernelError } from '../../kernel-error.ts'
import { log } from '../../log.ts'
import type { InTurn } from '../../one-at-a-time.ts'
import { messageOf } from '../../text.ts'

type Flows = Pick<Kernel, 'connections' | 'rulesets'>

/** Many addresses come at once, and one look is enough for all of them. */
const TOGETHER_MS = 20

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

const idsInForce = async ({ rulesets }: Pick<Kernel, 'rulesets'>): Promise<ReadonlySet<number>> =>
  new Set((await rulesets.read()).rules.map(({ route_rule_id }) => route_rule_id))

/** For rules that a step of a change has put into the kernel. */
export const endOlderOf =
  (kernel: Flows) =>
  (before: readonly RelayRule[], after: readonly RelayRule[]): Promise<void> =>
    endOlder(kernel, comingIntoForce(before, after))

/** As many as `endOlder` would end of rules that are not there yet. */
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
 * Rules that are in force when the helper starts, whatever brought them back; and, whenever an address comes, those that
 * listen on every address. Returns the function that ends it.
 */
export async function followOlder(kernel: Flows & Pick<Kernel, 'events'>, inTurn: InTurn): Promise<() => void> {
  const end = async (isConcerned: (rule: RelayRule) => boolean): Promise<void> =>
    endOlder(kernel, (await kernel.rulesets.read()).rules.filter(isConcerned))
  let isWaiting = false
  const endSoon = async (): Promise<void> => {
    isWaiting = true
    await sleep(TOGETHER_MS)
    isWaiting = false
    await inTurn(() => end(({ bind_address }) => isWildcard(bind_address)), 'own')
  }
  try {
    await end(() => true)
    return kernel.events.watchLinks((event) => {
      const mayHaveCome = event.subject === 'lost' || (event.subject === 'address' && !event.is_removal)
      if (mayHaveCome && !isWaiting) endSoon().catch(logFailure)
    })
  } catch (error) {
    logFailure(error)
    return () => undefined
  }
}

const logFailure = (error: unknown): void =>
  log('warning', 'The addresses of the host are not followed', { detail: messageOf(error) })
