// The writes of the test by kill -9, through the product's own stores: what write n leaves behind, and whether it is
// there.
import { sql } from 'kysely'
import { AUDIT_ACTIONS } from '@panel/shared/api/audit/actions.ts'
import { insertEntry } from '@panel/web-daemon/features/audit/store.ts'
import type { Store } from '@panel/web-daemon/platform/db/store.ts'
import { readTotals, writeTotals } from '@panel/web-daemon/features/metrics/store.ts'
import { writeSetting } from '@panel/web-daemon/features/settings/store.ts'
import { insertTunnel, replaceTunnel } from '@panel/web-daemon/features/tunnels/store.ts'
import { tunnelOf } from '../../../bench/driver/rows.ts'

const NOW = new Date(0).toISOString()
const ENDS = { local_endpoint: '192.0.2.1', remote_endpoint: '192.0.2.2' }
const tunnel = (n: number, note: string) => ({ ...tunnelOf(n % 1000, ENDS, NOW), interface_name: `k${n}`, note })
const tally = (n: number) => ({
  boot_id: 'b',
  interface_index: 1,
  rx_bytes_seen: n,
  tx_bytes_seen: n,
  rx_bytes_since_install: n,
  tx_bytes_since_install: n,
  seen_date: NOW,
})

interface Kind {
  readonly write: (store: Store, n: number) => Promise<unknown>
  /** Which of these writes are not there, or only half. */
  readonly missing: (store: Store, written: readonly number[]) => Promise<unknown[]>
}

const lacking = (written: readonly number[], there: Iterable<number>): number[] => {
  const found = new Set(there)
  return written.filter((n) => !found.has(n))
}
const idOf = async (store: Store, name: string): Promise<number> =>
  (await store.selectFrom('tunnel').select('tunnel_id').where('interface_name', '=', name).executeTakeFirstOrThrow())
    .tunnel_id

/** Write n is of kind n modulo their number. */
const KINDS: readonly Kind[] = [
  {
    write: (store, n) =>
      insertEntry(store, {
        ...{
          audit_action_id: AUDIT_ACTIONS.Login,
          user_id: null,
          username: 'x',
          target_type: '',
          target_id: null,
          request: '{}',
          operations: '[]',
        },
        ...{
          is_success: 1,
          error_message: '',
          error_reason: '{}',
          duration_ms: 1,
          client_ip: '',
          request_id: String(n),
          created_date: NOW,
        },
      }),
    missing: async (store, written) =>
      lacking(
        written,
        (await store.selectFrom('audit_log').select('request_id').execute()).map(({ request_id }) =>
          Number(request_id),
        ),
      ),
  },
  {
    write: (store, n) => store.transaction().execute((transaction) => insertTunnel(transaction, tunnel(n, ''))),
    missing: async (store, written) => {
      const { rows } = await sql<{
        n: number
      }>`select substr(interface_name, 2) + 0 as n from tunnel where (select count(*) from tunnel_address where tunnel_address.tunnel_id = tunnel.tunnel_id) = 1`.execute(
        store,
      )
      const { rows: half } = await sql<{
        interface_name: string
      }>`select interface_name from tunnel where tunnel_id not in (select tunnel_id from tunnel_address)`.execute(store)
      return [
        ...lacking(
          written,
          rows.map(({ n }) => n),
        ),
        ...half,
      ]
    },
  },
  {
    // Of the tunnel that was written just before.
    write: async (store, n) => {
      const tunnel_id = await idOf(store, `k${n - 1}`)
      await store
        .transaction()
        .execute((transaction) => replaceTunnel(transaction, tunnel_id, tunnel(n - 1, String(n))))
    },
    missing: async (store, written) =>
      lacking(
        written,
        (await store.selectFrom('tunnel').select('note').where('note', '!=', '').execute()).map(({ note }) =>
          Number(note),
        ),
      ),
  },
  {
    write: (store, n) => writeSetting(store, 'monitor.window_size', n, NOW),
    missing: async (store, written) => {
      const row = await store
        .selectFrom('setting')
        .select('value')
        .where('key', '=', 'monitor.window_size')
        .executeTakeFirst()
      return written.filter((n) => n > Number(row?.value ?? 0))
    },
  },
  {
    write: (store, n) => writeTotals(store, new Map([['eth0', tally(n)]])),
    missing: async (store, written) => {
      const seen = (await readTotals(store)).get('eth0')?.rx_bytes_seen ?? 0
      return written.filter((n) => n > seen)
    },
  },
]

const kindOf = (n: number): Kind => KINDS[n % KINDS.length] as Kind

export const write = (store: Store, n: number): Promise<unknown> => kindOf(n).write(store, n)

export const missing = async (store: Store, written: readonly number[]): Promise<unknown[]> =>
  (
    await Promise.all(
      KINDS.map((kind) =>
        kind.missing(
          store,
          written.filter((n) => kindOf(n) === kind),
        ),
      ),
    )
  ).flat()
