// Runs in the lab machine: hands each line it reads to the real kernel's facilities, so that a test outside can hold
// them to the contract; and tells its events.
import { createInterface } from 'node:readline'
import { readConfig } from '@panel/root-helper/config.ts'
import { realDeps } from '@panel/root-helper/helper.ts'
import type { Kernel } from '@panel/root-helper/kernel/facilities.ts'
import { OwnedTable } from '@panel/root-helper/kernel/nft/owned-table.ts'
import { TableProtection } from '@panel/root-helper/kernel/nft/protection.ts'
import { Generations } from '@panel/root-helper/kernel/nft/generations.ts'
import { bootRulesIn } from '@panel/root-helper/kernel/files/boot-rules.ts'
import { stateFolder } from '@panel/root-helper/kernel/files/state-folder.ts'
import { Nft } from '@panel/root-helper/kernel/nft/nft.ts'
import { NftRulesets } from '@panel/root-helper/kernel/nft/rulesets.ts'
import { rulesetGeneration } from '@panel/root-helper/netlink/nftables/generation.ts'

interface Call {
  readonly id: number
  readonly facility: keyof Kernel
  readonly method: string
  readonly args: unknown[]
}

type Method = (...args: unknown[]) => Promise<unknown>

/** A test may put a program of its own in the place of nft. */
async function kernelOf(nft: string | undefined): Promise<Kernel> {
  const config = readConfig(process.env)
  const { kernel } = await realDeps(config)
  const refused = await kernel.ruleBackends.choose()
  if (refused !== null) throw new Error(refused)
  const state = stateFolder(config.stateDir)
  return nft === undefined
    ? kernel
    : {
        ...kernel,
        rulesets: new NftRulesets(
          new Nft(nft),
          bootRulesIn(state),
          new Generations(rulesetGeneration()),
          new TableProtection(state, new OwnedTable(rulesetGeneration())),
          { prepare: () => undefined },
        ),
      }
}

async function main(): Promise<void> {
  const kernel = await kernelOf(process.env['PANEL_TEST_NFT'])
  kernel.events.watch((event) => void process.stdout.write(`${JSON.stringify({ event })}\n`))
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, facility, method, args } = JSON.parse(line) as Call
    const answer = await (kernel[facility] as unknown as Record<string, Method>)[method]!(...args).then(
      (result) => ({ id, result }),
      (error: Error & { code?: string }) => ({ id, error: { code: error.code, message: error.message } }),
    )
    process.stdout.write(`${JSON.stringify(answer)}\n`)
  }
  process.exit(0)
}

void main()
