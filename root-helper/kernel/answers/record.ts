// The tunnels that are answered through, in one file: what boot brings back once their links are there.
import { ANSWER_NUMBER_MAX } from '@panel/shared/ruleset/nft/answers.ts'
import { INTERFACE_NAME_PATTERN } from '@panel/shared/tunnel/model.ts'
import type { StateFolder } from '../files/state-folder.ts'
import { StateRecord } from '../files/state-record.ts'

/** `number` is that of its mark and its routing table; `rp_filter` what its link had before, null if it was not set. */
export interface AnsweredTunnel {
  readonly interface_name: string
  readonly number: number
  readonly rp_filter: string | null
}

interface Written {
  readonly tunnels: readonly AnsweredTunnel[]
}

export class AnswersRecord {
  readonly #record: StateRecord<Written>

  constructor(folder: StateFolder) {
    this.#record = new StateRecord(folder, {
      name: 'answers.json',
      damage: 'root.answers_damaged',
      nothing: { tunnels: [] },
      parse: (text) => ({ tunnels: parse(text) }),
    })
  }

  get tunnels(): readonly AnsweredTunnel[] {
    return this.#record.value.tunnels
  }

  get trouble(): string | null {
    return this.#record.trouble
  }

  /** The lowest number that no tunnel has; there are more of them than root ever allows tunnels. */
  freeNumber(): number {
    const taken = new Set(this.tunnels.map(({ number }) => number))
    let number = 1
    while (taken.has(number)) number += 1
    return number
  }

  put(tunnel: AnsweredTunnel): Promise<void> {
    return this.#write([...this.#without([tunnel.interface_name]), tunnel])
  }

  remove(interface_names: readonly string[]): Promise<void> {
    return this.#write(this.#without(interface_names))
  }

  #without(names: readonly string[]): AnsweredTunnel[] {
    return this.tunnels.filter(({ interface_name }) => !names.includes(interface_name))
  }

  #write(tunnels: readonly AnsweredTunnel[]): Promise<void> {
    return this.#record.write({ tunnels: [...tunnels].sort((one, other) => one.number - other.number) })
  }
}

function parse(text: string): AnsweredTunnel[] {
  const written = JSON.parse(text) as { tunnels?: unknown } | null
  if (!Array.isArray(written?.tunnels) || !written.tunnels.every(isTunnel))
    throw new Error('It holds no list of tunnels')
  if (new Set(written.tunnels.map(({ number }) => number)).size < written.tunnels.length)
    throw new Error('Two of its tunnels have one number')
  return written.tunnels
}

const PATTERN = new RegExp(INTERFACE_NAME_PATTERN)

function isTunnel(value: unknown): value is AnsweredTunnel {
  const { interface_name, number, rp_filter } = (value ?? {}) as Partial<AnsweredTunnel>
  const isNumbered = Number.isSafeInteger(number) && Number(number) >= 1 && Number(number) <= ANSWER_NUMBER_MAX
  const isFilter = rp_filter === null || (typeof rp_filter === 'string' && /^[012]$/.test(rp_filter))
  return typeof interface_name === 'string' && PATTERN.test(interface_name) && isNumbered && isFilter
}
