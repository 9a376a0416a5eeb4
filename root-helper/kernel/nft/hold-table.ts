// A second table, which holds no rule: it keeps NAT and connection tracking in the namespace while our own table is
// gone, so that connections that are relayed live on. It goes with the socket that owns it.
import { HOLD_NAME } from '@panel/shared/ruleset/nft/table.ts'
import { batch } from '../../netlink/nftables/batch.ts'
import { emptyNatTable } from '../../netlink/nftables/chains.ts'
import { OwnerSocket } from './owner-socket.ts'

export class HoldTable {
  readonly #owner = new OwnerSocket(HOLD_NAME)

  get isHeld(): boolean {
    return this.#owner.socket !== null
  }

  inherit(): Promise<void> {
    return this.#owner.inherit()
  }

  /** Returns how many generations that makes. */
  async hold(): Promise<number> {
    if (this.isHeld) return 0
    await this.#owner.own('hold the connections', batch(emptyNatTable(HOLD_NAME)))
    return 1
  }

  release(): Promise<void> {
    return this.#owner.release()
  }
}
