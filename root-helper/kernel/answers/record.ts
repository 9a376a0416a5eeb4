// The tunnels that are answered through, in one file: what boot brings back once their links are there.
import { verbatim } from '@panel/shared/messages/message.ts'
import { ANSWER_NUMBER_MAX } from '@panel/shared/ruleset/nft/answers.ts'
import { INTERFACE_NAME_PATTERN } from '@panel/shared/tunnel/model.ts'
import { RefusedError } from '../../refused.ts'
import { damageOf, readWritten, type StateFolder } from '../files/state-folder.ts'

/** `number` is that of its mark and its routing table; `rp_filter` what its link had before, null if it was not set. */
export interface AnsweredTunnel {
  readonly interface_name: string
  readonly number: number
  readonly rp_filter: string | null
}

const NAME = 'answers.json'

export class AnswersRecord {
  readonly #folder: StateFolder
  #tunnels: readonly AnsweredTunnel[] | null = null

  constructor(folder: StateFolder) {
    this.#folder = folder
  }

  /** None where the file is damaged; it is tried again each time, since the operator may have set it aside. */
  get tunnels(): readonly AnsweredTunnel[] {
    return this.#held().tunnels
  }

  get trouble(): string | null {
    return this.#held().trouble
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

  async #write(tunnels: readonly AnsweredTunnel[]): Promise<void> {
    const { trouble } = this
    if (trouble !== null) throw new RefusedError('state_unusable', verbatim(trouble))
    const sorted = [...tunnels].sort((a, b) => a.number - b.number)
    if (JSON.stringify(sorted) === JSON.stringify(this.tunnels)) return
    await this.#folder.write(NAME, JSON.stringify({ tunnels: sorted }))
    this.#tunnels = sorted
  }

  #held(): { readonly tunnels: readonly AnsweredTunnel[]; readonly trouble: string | null } {
    try {
      this.#tunnels ??= readWritten(this.#folder, NAME, parse) ?? []
      return { tunnels: this.#tunnels, trouble: null }
    } catch (error) {
      return { tunnels: [], trouble: damageOf('root.answers_damaged', error) }
    }
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
