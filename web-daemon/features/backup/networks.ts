// The networks of a backup: one whose title or destination exists already is skipped, the others are created
// (decisions.md, B2, B7).
import type { BackupNetwork, ImportAction } from '@panel/shared/api/backup.ts'
import { formatCidr, parseCidr } from '@panel/shared/address/ip.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { ReadContext } from '../../platform/context.ts'
import { titleKey } from '../../platform/db/search.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import type { NetworkRecord } from '../networks/record.ts'
import { allNetworks } from '../networks/store.ts'
import type { Ids } from './ids.ts'
import type { Item } from './read.ts'
import { importEach, skip, type Job, type Worker } from './worker.ts'

export async function importNetworks(
  worker: Worker,
  { db }: Pick<ReadContext, 'db'>,
  items: readonly Item<BackupNetwork>[],
  tunnels: Ids,
): Promise<ImportAction[]> {
  const here = items.length === 0 ? [] : await allNetworks(db)
  return importEach(
    worker,
    'network',
    items,
    ({ path, item }) => skipExisting(here, item) ?? worker.do(importJob(path, item, tunnels)),
  )
}

function skipExisting(all: readonly NetworkRecord[], item: BackupNetwork): ImportAction | null {
  const network = parseCidr(item.destination)
  const [destination, title] = [network && formatCidr(network), titleKey(item.network_title ?? '')]
  const here = all.find((one) => one.destination === destination || titleKey(one.network_title) === title)
  return here ? skip('network', nameOf(item), here.network_id, message('backup.network_same')) : null
}

const nameOf = ({ network_title, destination }: BackupNetwork): string => network_title ?? destination

/** A path whose tunnel is not here is left out; of a network without any other there is nothing to make. */
function importJob(place: string, item: BackupNetwork, tunnels: Ids): Job {
  const isUnforeseen = item.paths.some(({ tunnel_id }) => tunnels.isPlanned(tunnel_id))
  const paths = item.paths.flatMap((one) => {
    const tunnel_id = tunnels.here(one.tunnel_id)
    return tunnel_id === null ? [] : [{ ...one, tunnel_id }]
  })
  const isWhole = isUnforeseen || paths.length === item.paths.length
  return {
    kind: 'network',
    target: nameOf(item),
    place,
    method: 'POST',
    path: '/networks',
    body: { ...item, paths },
    isUnforeseen,
    ...(!isWhole && { detail: message('backup.network_fewer_paths') }),
    ...(paths.length === 0 && { refused: noPaths() }),
  }
}

const noPaths = (): Refusal => new Refusal('VALIDATION_FAILED', message('backup.network_no_tunnel'), { field: 'paths' })
