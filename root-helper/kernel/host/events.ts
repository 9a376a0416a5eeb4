// Events of the host's kernel: changes of links, addresses, routes and settings over rtnetlink, and changes of nftables and iptables-legacy
// by others.
import { LOST, RULESET_CHANGED, type HostEvent } from '@panel/shared/events/model.ts'
import type { KernelEvents } from '../facilities.ts'
import type { RulesetChanges } from '../nft/ruleset-changes.ts'
import { transportError } from '../../netlink/errors.ts'
import { watchLinks, type Beside, type LinkEvent } from '../../netlink/events.ts'
import { log } from '../../log.ts'

/** The events of the network namespace in which it is called; `legacy` are the tables of iptables-legacy. */
export const kernelEvents = (ruleset: RulesetChanges, legacy: Watched): KernelEvents => ({
  watch(onEvent) {
    const endLinks = linksWatched(onEvent, 'paths')
    const endRuleset = ruleset.watch((by) => onEvent(by === '' ? RULESET_CHANGED : { ...RULESET_CHANGED, by }))
    const endLegacy = legacy.watch(() => onEvent(RULESET_CHANGED))
    return () => {
      endLinks()
      endRuleset()
      endLegacy()
    }
  },
  watchLinks: (onChange) => linksWatched(onChange, 'defaults'),
  nameWriters: () => ruleset.nameWriters(),
})

interface Watched {
  watch(onChange: () => void): () => void
}

function linksWatched(onEvent: (event: HostEvent) => void, beside: Beside): () => void {
  try {
    return watchLinks(
      {
        onEvent: (event) => onEvent(hostEvent(event)),
        onLost: ({ message }) => {
          log('warning', 'Events of the kernel were lost', { detail: message })
          onEvent(LOST)
        },
      },
      { beside },
    )
  } catch (error) {
    throw transportError('listen to the kernel', error)
  }
}

const hostEvent = ({ subject, name, index, is_removal }: LinkEvent): HostEvent => ({
  subject,
  interface_name: name,
  index,
  is_removal,
})
