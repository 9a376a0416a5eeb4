// A netlink socket that outlives the helper: the service manager keeps it and passes it to the next helper
// (FileDescriptorStoreMax= in systemd.service(5), sd_listen_fds(3)).
import { NETLINK_NETFILTER } from '../netlink/constants.ts'
import { native, type Channel, type Native } from '../native/index.ts'

const FIRST_INHERITED = 3

export type Keeper = Pick<Native, 'inherit' | 'keep' | 'sdNotify'>

export class KeptSocket {
  readonly #name: string
  readonly #keeper: Keeper
  readonly #left: number | null
  #isKept: boolean
  #isInherited = false

  constructor(name: string, keeper: Keeper = native, environment = process.env) {
    this.#name = name
    this.#keeper = keeper
    this.#left = leftAt(name, environment)
    this.#isKept = this.#left !== null
  }

  /** It is still open when this helper ends. */
  get isKept(): boolean {
    return this.#isKept
  }

  /** The socket of an earlier helper, once; null where there is none. */
  inherit(): Channel | null {
    if (this.#left === null || this.#isInherited) return null
    this.#isInherited = true
    return this.#keeper.inherit(this.#left, NETLINK_NETFILTER)
  }

  /** False without a service manager. */
  keep(channel: Channel): boolean {
    // Without FDPOLL=0 the manager closes its copy at the first error of the socket, such as a full buffer.
    this.#isKept = this.#keeper.keep(channel, `FDSTORE=1\nFDNAME=${this.#name}\nFDPOLL=0`)
    return this.#isKept
  }

  /** The manager closes its copy a moment later. False where it has none. */
  forget(): boolean {
    if (!this.#isKept) return false
    this.#isKept = false
    return this.#keeper.sdNotify(`FDSTOREREMOVE=1\nFDNAME=${this.#name}`)
  }
}

function leftAt(name: string, { LISTEN_PID, LISTEN_FDS, LISTEN_FDNAMES }: NodeJS.ProcessEnv): number | null {
  if (Number(LISTEN_PID) !== process.pid) return null
  const at = (LISTEN_FDNAMES ?? '').split(':').slice(0, Number(LISTEN_FDS)).indexOf(name)
  return at < 0 ? null : FIRST_INHERITED + at
}
