// Runs inside a fresh network namespace for direct-commit.test.ts and fingerprint.test.ts: sends batches of its own to the kernel, whole or
// with a fault in them.
import { createInterface } from 'node:readline'
import type { RelayRule } from '@panel/shared/ruleset/model.ts'
import { diffTables, type TableChange } from '@panel/shared/ruleset/nft/change.ts'
import { isDirect } from '@panel/shared/ruleset/nft/direct.ts'
import { layOut } from '@panel/shared/ruleset/nft/layout.ts'
import { newSet } from '@panel/shared/ruleset/nft/table.ts'
import { RelayTable, requestsOf } from '@panel/root-helper/kernel/nft/relay-table.ts'
import { NETLINK_NETFILTER } from '@panel/root-helper/netlink/constants.ts'
import { batch, deleteElements } from '@panel/root-helper/netlink/nftables/batch.ts'
import { rulesetGeneration } from '@panel/root-helper/netlink/nftables/generation.ts'
import { NetlinkSocket } from '@panel/root-helper/netlink/socket.ts'

type Rules = readonly RelayRule[]

const table = new RelayTable()
const socket = new NetlinkSocket({ protocol: NETLINK_NETFILTER })
const generation = rulesetGeneration()

/** A request to delete an element that never exists. */
const FAULT = deleteElements('panel', {
  name: 'relay_masquerade',
  set: newSet('set', 'mark'),
  isEmptied: false,
  gone: [['0x000000ff', '']],
  come: [],
})

function changeOf(before: Rules, after: Rules): TableChange | null {
  const from = layOut(before)
  const change = diffTables(from, layOut(after))
  return isDirect(change, from) ? change : null
}

const must = (change: TableChange | null): TableChange => {
  if (!change) throw new Error('The change has to be compiled')
  return change
}

const METHODS = {
  generation,
  fingerprint: (rules: Rules) => table.fingerprint(layOut(rules).sets),
  isDirect: async (before: Rules, after: Rules) => changeOf(before, after) !== null,
  messages: async (before: Rules, after: Rules) => requestsOf(must(changeOf(before, after))).length,
  change: (before: Rules, after: Rules, at: number) => table.change(must(changeOf(before, after)), at),
  rehearse: (before: Rules, after: Rules, at: number) =>
    table.rehearse(must(changeOf(before, after)), must(changeOf(after, before)), at),
  /** `at` messages are in order, then comes one that the kernel refuses, then the rest. */
  changeWithFault: async (before: Rules, after: Rules, at: number) => {
    const requests = requestsOf(must(changeOf(before, after)))
    await socket.batch('change', batch([...requests.slice(0, at), ...FAULT, ...requests.slice(at)]))
  },
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, args } = JSON.parse(line) as { id: number; method: keyof typeof METHODS; args: never[] }
  const run = METHODS[method] as (...args: never[]) => Promise<unknown>
  const answer = await run(...args).then(
    (result) => ({ id, result }),
    (error: Error & { code?: string }) => ({ id, error: { code: error.code, message: error.message } }),
  )
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}
process.exit(0)
