// How full the kernel's table of connections is, from two files that everybody may read.
import type { Host } from '../metrics/host.ts'

const FOLDER = '/proc/sys/net/netfilter'

/** Null where the kernel tracks no connections. */
export function readConntrack(host: Pick<Host, 'has' | 'read'>): { count: number; max: number } | null {
  if (!host.has(`${FOLDER}/nf_conntrack_count`)) return null
  const [count, max] = ['count', 'max'].map((name) => Number(host.read(`${FOLDER}/nf_conntrack_${name}`)))
  return count === undefined || max === undefined ? null : { count, max }
}
