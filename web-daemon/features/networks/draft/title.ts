// The title of a network: given, or its destination. No two networks share one.
import { message } from '@panel/shared/messages/message.ts'
import { networkNamed } from '@panel/shared/messages/named.ts'
import type { ReadDb } from '../../../platform/context.ts'
import type { Problems } from '../../../platform/http/problems.ts'
import type { NetworkRecord } from '../record.ts'
import { idOfTitle } from '../store.ts'

export async function checkTitle(
  db: ReadDb,
  network_title: string | undefined,
  { problems, stored }: { readonly problems: Problems; readonly stored: NetworkRecord | null },
): Promise<void> {
  if (network_title === undefined || problems.has('network_title')) return
  const network_id = await idOfTitle(db, network_title)
  if (network_id === null || network_id === stored?.network_id) return
  problems.add(
    'network_title',
    'NETWORK_TITLE_CONFLICT',
    message('network.title_taken', { network: networkNamed({ network_id, network_title }) }),
    { network_id },
  )
}

/** A title that nobody gave goes with the destination. */
export async function titleFor(
  db: ReadDb,
  given: string | undefined,
  destination: string,
  stored: NetworkRecord | null,
): Promise<string> {
  if (given !== undefined) return given
  if (stored && (stored.network_title !== stored.destination || stored.destination === destination))
    return stored.network_title
  for (let at = 1; ; at += 1) {
    const title = at === 1 ? destination : `${destination} (${at})`
    const owner = await idOfTitle(db, title)
    if (owner === null || owner === stored?.network_id) return title
  }
}
