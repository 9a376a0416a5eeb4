// A second table, which holds no rule: it keeps NAT and connection tracking in the namespace while our own table is
// gone, so that connections that are relayed live on. It goes with the socket that owns it.
import { NETLINK_NETFILTER } from '../../netlink/constants.ts'
import { batch } from '../../netlink/nftables/batch.ts'
import { emptyNatTable } from '../../netlink/nftables/chains.ts'
import { NetlinkSocket } from '../../netlink/socket.ts'
import { HOLD_NAME } from '@panel/shared/ruleset/nft/table.ts'

export class HoldTable {
  #owner: NetlinkSocket | null = null

  get isHeld(): boolean {
    return this.#owner !== null
  }

  /** Returns how many generations that makes. */
  async hold(): Promise<number> {
    if (this.#owner) return 0
    const socket = new NetlinkSocket({ protocol: NETLINK_NETFILTER })
    try {
      await socket.batch('hold the connections', batch(emptyNatTable(HOLD_NAME)))
    } catch (error) {
      socket.close()
      throw error
    }
    this.#owner = socket
    return 1
  }

  release(): void {
    this.#owner?.close()
    this.#owner = null
  }
}
