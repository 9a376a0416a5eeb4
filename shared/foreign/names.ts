// Who has put a chain into netfilter, by the names that each gives.
import type { ForeignManager } from './model.ts'

/** Each names its chains and tables after itself; iptables has the tables that it always had. */
export function findManager(table: string, chain: string): ForeignManager {
  const [family = '', name = ''] = table.split(' ')
  if (name === 'firewalld') return 'firewalld'
  if (chain.startsWith('DOCKER') || name.startsWith('docker')) return 'docker'
  if (/^ufw6?-/.test(chain)) return 'ufw'
  return /^ip6?$/.test(family) && /^(?:filter|nat|mangle|raw|security)$/.test(name) ? 'iptables' : 'nftables'
}

export const familyName = (family: 4 | 6): 'ip' | 'ip6' => (family === 6 ? 'ip6' : 'ip')

export const oneLine = (text: string): string => text.replace(/[\u0000-\u001f\u007f]/g, ' ').slice(0, 300)
