// Keeps what is masqueraded over tunnels going when they are restarted: the backend is given the address of each, and
// again whenever links or addresses change.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Kernel } from '../../kernel/facilities.ts'
import { log } from '../../log.ts'
import type { InTurn } from '../../one-at-a-time.ts'
import { messageOf } from '../../text.ts'

/** Many links change at once, and one look is enough for all of them. */
const TOGETHER_MS = 20

/**
 * Resolves when they are followed for the first time, with the function that ends it. After a change of an address new
 * connections are given the old one until it is this one's turn, which comes when the change under way has ended.
 */
export async function followSources(
  { links, events, rulesets }: Pick<Kernel, 'links' | 'events' | 'rulesets'>,
  inTurn: InTurn,
): Promise<() => void> {
  let isWaiting = false
  const follow = (): Promise<void> =>
    inTurn(async () => {
      isWaiting = false
      await rulesets.followSources(await links.sources())
      await rulesets.followDevices(await links.devices())
    }, 'own').catch(logFailure)
  const followSoon = async (): Promise<void> => {
    isWaiting = true
    await sleep(TOGETHER_MS)
    await follow()
  }
  try {
    const end = events.watchLinks(() => void (isWaiting || followSoon()))
    await follow()
    return end
  } catch (error) {
    // Addresses that nobody follows are given to nobody: the kernel masquerades by itself.
    logFailure(error)
    return () => undefined
  }
}

const logFailure = (error: unknown): void =>
  log('warning', 'The addresses of the tunnels are not followed', { detail: messageOf(error) })
