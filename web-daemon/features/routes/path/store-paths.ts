// The routes that the kernel has, or had when a tunnel was last up, through tunnels to the destinations of rules.
import type { Kysely } from 'kysely'
import { formatCidr, parseCidr } from '@panel/shared/address/ip.ts'
import type { ReadDb } from '../../../platform/context.ts'
import type { Database } from '../../../platform/db/database.ts'
import type { TunnelRoute } from '../../tunnels/subnets.ts'

export async function tunnelRoutes(db: ReadDb): Promise<TunnelRoute[]> {
  const rows = await db.selectFrom('tunnel_route').selectAll().execute()
  return rows.flatMap(({ tunnel_id, destination }) => {
    const network = parseCidr(destination)
    return network ? [{ tunnel_id, network }] : []
  })
}

/** Writes nothing where they are the same already. */
export async function replaceTunnelRoutes(db: Kysely<Database>, routes: readonly TunnelRoute[]): Promise<void> {
  const wanted = keyed(routes)
  const stored = keyed(await tunnelRoutes(db))
  if (wanted.size === stored.size && [...wanted.keys()].every((key) => stored.has(key))) return
  await db.transaction().execute(async (transaction) => {
    await transaction.deleteFrom('tunnel_route').execute()
    for (const { tunnel_id, network } of wanted.values())
      await transaction
        .insertInto('tunnel_route')
        .values({ tunnel_id, destination: formatCidr(network) })
        .execute()
  })
}

const keyed = (routes: readonly TunnelRoute[]): Map<string, TunnelRoute> =>
  new Map(routes.map((route) => [`${route.tunnel_id} ${formatCidr(route.network)}`, route]))
