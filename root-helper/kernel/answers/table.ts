// The nft table of answers: written whole in one transaction, and whole as long as nft lists it as it did right
// afterwards.
import { ANSWERS_TABLE, renderAnswers, type AnswersDue } from '@panel/shared/ruleset/nft/answers.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import { KernelError } from '../../kernel-error.ts'
import { hasCrashed } from '../program/program.ts'
import type { Generations } from '../nft/generations.ts'
import type { Nft } from '../nft/nft.ts'

type Listing = string | null

export class AnswersTable {
  readonly #nft: Pick<Nft, 'submit' | 'check' | 'list'> | null
  readonly #generations: Generations
  /** What was written last, and how nft listed it then. */
  #written: { readonly text: string; readonly listing: Listing } | null = null
  #seen: { readonly generation: number; readonly listing: Listing } | null = null

  /** `nft` is null on a host without it. */
  constructor(nft: Pick<Nft, 'submit' | 'check' | 'list'> | null, generations: Generations) {
    this.#nft = nft
    this.#generations = generations
  }

  /** Why this host cannot hold the table; null if it can. Throws if nft crashed, which says nothing about the kernel. */
  async refusal(): Promise<Message | null> {
    if (!this.#nft) return message('root.answers_need_nft')
    try {
      await this.#nft.check(renderAnswers(EXAMPLE))
      return null
    } catch (error) {
      if (!(error instanceof KernelError) || hasCrashed(error)) throw error
      return message('root.answers_need_kernel', { why: error.message })
    }
  }

  async isWhole(due: AnswersDue): Promise<boolean> {
    const listing = await this.#list()
    if (isNothing(due)) return listing === null
    return listing !== null && this.#written?.text === renderAnswers(due) && this.#written.listing === listing
  }

  /** Nothing is written that is whole already. */
  async put(due: AnswersDue): Promise<void> {
    if (!this.#nft || (await this.isWhole(due))) return
    const nft = this.#nft
    const text = isNothing(due) ? `delete table ${ANSWERS_TABLE}\n` : renderAnswers(due)
    await this.#generations.during(() => nft.submit(text).then(() => 1))
    this.#seen = null
    this.#written = { text, listing: await this.#list() }
  }

  /** A host without nft holds none of it. */
  async #list(): Promise<Listing> {
    if (!this.#nft) return null
    const generation = await this.#generations.ofOthers()
    if (this.#seen?.generation === generation) return this.#seen.listing
    const listing = normal(await this.#nft.list(`list table ${ANSWERS_TABLE}`))
    this.#seen = { generation, listing }
    return listing
  }
}

const isNothing = ({ addresses, rules }: AnswersDue): boolean => addresses.length + rules.length === 0

const EXAMPLE: AnswersDue = {
  addresses: [
    { interface_names: ['gre1'], number: 1, address: '192.0.2.1', own: '192.0.2.2' },
    { interface_names: ['gre1'], number: 1, address: '2001:db8::1', own: '2001:db8::2' },
  ],
  rules: [{ route_rule_id: 1, number: 1 }],
}

/** The kernel lists the elements of a set in whatever order. */
function normal(listed: string | null): Listing {
  if (listed === null) return null
  const { nftables } = JSON.parse(listed) as { readonly nftables: readonly object[] }
  return JSON.stringify(
    nftables.filter((one) => !('metainfo' in one)),
    (key, value: unknown) =>
      key === 'elem' && Array.isArray(value) ? value.map((one) => JSON.stringify(one)).sort() : value,
  )
}
