// Networks in memory: what root keeps, and what the kernel holds of it.
import type { Networks } from '@panel/root-helper/kernel/facilities.ts'
import { KernelError } from '@panel/root-helper/kernel-error.ts'
import type { Message } from '@panel/shared/messages/message.ts'
import { canonicalNetwork, carrying } from '@panel/shared/network/canonical.ts'
import { sameState } from '@panel/shared/change/change.ts'
import type { NetworkFound, NetworkState } from '@panel/shared/network/model.ts'

type Route = Pick<NetworkState, 'metric' | 'source' | 'paths'>

export class FakeNetworks implements Networks {
  readonly #change: (what: string) => void
  readonly #isUp: (interface_name: string) => boolean
  readonly #isHere: (address: string) => boolean
  readonly held = new Map<string, NetworkState>()
  readonly routes = new Map<string, Route>()
  /** On the loopback interface, and the panel's. */
  readonly addresses = new Set<string>()
  damage: string | null = null
  /** The foreign route or address that is the same. */
  taken: Message | null = null

  /** `isHere`: a link has the address. */
  constructor(
    change: (what: string) => void,
    isUp: (interface_name: string) => boolean,
    isHere: (address: string) => boolean,
  ) {
    this.#change = change
    this.#isUp = isUp
    this.#isHere = isHere
  }

  kept = (): NetworkState[] => [...this.held.values()]

  withOwnAddresses = (): string[] =>
    this.kept().flatMap(({ destination, own_addresses }) => (own_addresses.length > 0 ? [destination] : []))

  async found(destinations: readonly string[]): Promise<NetworkFound[]> {
    const named = this.kept().filter(
      ({ destination }) => destinations.length === 0 || destinations.includes(destination),
    )
    return named.map((state) => {
      const route = this.routes.get(state.destination)
      const { metric, source } = state
      const due = carrying(state.paths)
      const isSame = due.length === 0 ? !route : sameState(route, { metric, source, paths: due })
      const lacks = [
        ...(isSame ? [] : ['route']),
        ...due.map(({ interface_name }) => interface_name).filter((name) => !this.#isUp(name)),
        ...state.own_addresses.filter((address) => !this.addresses.has(address)),
      ]
      const held = route && { ...route, paths: route.paths.filter(({ interface_name }) => this.#isUp(interface_name)) }
      return { state: canonicalNetwork({ ...state, lacks }), held: held ?? null }
    })
  }

  async strays(destinations: readonly string[], addresses: readonly string[]): Promise<string[]> {
    const known = new Set(this.kept().flatMap(({ destination, own_addresses }) => [destination, ...own_addresses]))
    const isThere = (one: string): boolean => this.routes.has(one) || this.addresses.has(one)
    return [...destinations, ...addresses].filter((one) => isThere(one) && !known.has(one))
  }

  async keep(states: readonly NetworkState[]): Promise<void> {
    for (const state of states) {
      this.#change(`network-keep ${state.destination}`)
      this.held.set(state.destination, state)
    }
  }

  async forget(destination: string): Promise<void> {
    this.#change(`network-forget ${destination}`)
    this.held.delete(destination)
  }

  async setRoutes(states: readonly NetworkState[]): Promise<void> {
    for (const { destination, metric, source, paths } of states) {
      if (source !== null && !this.addresses.has(source) && !this.#isHere(source))
        throw new KernelError('EINVAL', 'Invalid prefsrc address')
      this.#change(`network-route ${destination}`)
      this.routes.set(destination, { metric, source, paths: carrying(paths) })
    }
  }

  async removeRoute(destination: string): Promise<void> {
    this.#change(`network-unroute ${destination}`)
    this.routes.delete(destination)
  }

  async addAddress(address: string): Promise<void> {
    this.#change(`own-address ${address}`)
    this.addresses.add(address)
  }

  /** The kernel takes a route with that source away. */
  async removeAddress(address: string): Promise<void> {
    this.#change(`own-address-gone ${address}`)
    this.addresses.delete(address)
    for (const [destination, { source }] of this.routes) if (source === address) this.routes.delete(destination)
  }

  inTheWay = async (): Promise<Message | null> => this.taken

  async follow(): Promise<void> {
    for (const state of this.kept()) {
      for (const address of state.own_addresses) this.addresses.add(address)
      if (carrying(state.paths).length > 0) await this.setRoutes([state])
    }
  }

  hashPolicy = async () => ({ ipv4: 0, ipv6: null })
  trouble = (): string | null => this.damage

  picture(): unknown {
    return [[...this.held].sort(), [...this.routes].sort(), [...this.addresses].sort()]
  }
}
