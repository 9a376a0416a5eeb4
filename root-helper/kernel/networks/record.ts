// The networks that root keeps, in one file: what boot brings back once their links are there.
import { canonicalNetwork } from '@panel/shared/network/canonical.ts'
import { sameState } from '@panel/shared/change/change.ts'
import type { NetworkState } from '@panel/shared/network/model.ts'
import { ANSWER_NUMBER_MAX } from '@panel/shared/ruleset/nft/answers.ts'
import { INTERFACE_NAME_PATTERN } from '@panel/shared/tunnel/model.ts'
import type { StateFolder } from '../files/state-folder.ts'
import { StateRecord } from '../files/state-record.ts'

/**
 * `number` is that of its mark and its routing table. Those of networks are given out from the last one downwards, and
 * those of tunnels (answers/record.ts) from the first one upwards; there are fewer of both together.
 */
export interface KeptNetwork {
  readonly number: number
  readonly state: NetworkState
}

/** What `rp_filter` of a link was before its arrivals were let in, by the name of the link. */
type Filters = Readonly<Record<string, string>>

interface Written {
  readonly networks: readonly KeptNetwork[]
  readonly rp_filters: Filters
}

export const FIRST_NUMBER = ANSWER_NUMBER_MAX - 4095

export class NetworksRecord {
  readonly #record: StateRecord<Written>

  constructor(folder: StateFolder) {
    const nothing = { networks: [], rp_filters: {} }
    this.#record = new StateRecord(folder, { name: 'networks.json', damage: 'root.networks_damaged', nothing, parse })
  }

  get networks(): readonly KeptNetwork[] {
    return this.#record.value.networks
  }

  get filters(): Filters {
    return this.#record.value.rp_filters
  }

  get trouble(): string | null {
    return this.#record.trouble
  }

  /** Those that are there already keep their numbers. */
  put(states: readonly NetworkState[]): Promise<void> {
    const numbers = new Map(this.networks.map(({ number, state }) => [state.destination, number]))
    const taken = new Set(numbers.values())
    const put = states.map((state): KeptNetwork => {
      const number = numbers.get(state.destination) ?? freeNumber(taken)
      taken.add(number)
      return { number, state }
    })
    return this.#write([...this.#without(states.map(({ destination }) => destination)), ...put])
  }

  remove(destination: string): Promise<void> {
    return this.#write(this.#without([destination]))
  }

  /** Null: it is set as it was. */
  setFilter(interface_name: string, value: string | null): Promise<void> {
    const { [interface_name]: _, ...others } = this.filters
    const rp_filters = value === null ? others : { ...others, [interface_name]: value }
    return this.#record.write({ networks: this.networks, rp_filters })
  }

  #without(destinations: readonly string[]): KeptNetwork[] {
    const left = new Set(destinations)
    return this.networks.filter(({ state }) => !left.has(state.destination))
  }

  #write(networks: readonly KeptNetwork[]): Promise<void> {
    const sorted = [...networks].sort((a, b) => b.number - a.number)
    return this.#record.write({ networks: sorted, rp_filters: this.filters })
  }
}

function freeNumber(taken: ReadonlySet<number>): number {
  let number = ANSWER_NUMBER_MAX
  while (taken.has(number)) number -= 1
  return number
}

function parse(text: string): Written {
  const { networks, rp_filters } = (JSON.parse(text) ?? {}) as Partial<Written>
  if (!Array.isArray(networks) || !networks.every(isKept)) throw new Error('It holds no list of networks')
  if (new Set(networks.map(({ number }) => number)).size < networks.length)
    throw new Error('Two of its networks have one number')
  if (!rp_filters || !Object.entries(rp_filters).every(isFilter)) throw new Error('It holds no filters of links')
  return { networks, rp_filters }
}

const NAME = new RegExp(INTERFACE_NAME_PATTERN)

/** A state that is none makes its canonical form throw. */
function isKept({ number, state }: KeptNetwork): boolean {
  const isNumbered = Number.isSafeInteger(number) && number >= FIRST_NUMBER && number <= ANSWER_NUMBER_MAX
  const isPath = ({ interface_name, weight }: NetworkState['paths'][number]): boolean =>
    NAME.test(interface_name) && Number.isSafeInteger(weight) && weight >= 0 && weight < 256
  const isState = Number.isSafeInteger(state.metric) && sameState(canonicalNetwork(state), state)
  return isNumbered && isState && state.paths.every(isPath)
}

const isFilter = ([name, value]: [string, unknown]): boolean =>
  NAME.test(name) && typeof value === 'string' && /^[012]$/.test(value)
