// Runs in the lab machine: hands each line it reads to the real kernel's facilities, so that a test outside can hold them to the contract; and tells its events.
import { createInterface } from 'node:readline'
import { readConfig } from '@panel/root-helper/config.ts'
import { realParts } from '@panel/root-helper/helper.ts'

interface Call {
  readonly id: number
  readonly facility: 'links' | 'units'
  readonly method: string
  readonly args: unknown[]
}

type Method = (...args: unknown[]) => Promise<unknown>

async function main(): Promise<void> {
  const { kernel } = await realParts(readConfig(process.env))
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
