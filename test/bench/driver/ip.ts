// The raw tool to compare with: ip(8), started as any program would start it.
import { spawn } from 'node:child_process'
import { addressAddArguments, linkAddArguments } from '@panel/shared/tunnel/systemd-unit.ts'
import type { TunnelState } from '@panel/shared/tunnel/model.ts'

const IP = '/usr/sbin/ip'

/** Milliseconds from the call until it has ended and all that it wrote is read. */
export async function ip(args: readonly string[], input = ''): Promise<number> {
  const started = performance.now()
  const child = spawn(IP, args, { stdio: [input === '' ? 'ignore' : 'pipe', 'pipe', 'pipe'] })
  const output: Buffer[] = []
  child.stdout?.on('data', () => undefined)
  child.stderr?.on('data', (data: Buffer) => output.push(data))
  child.stdin?.end(input)
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
  const ms = performance.now() - started
  if (code !== 0)
    throw new Error(`ip ${args.join(' ')} ended with ${code}: ${Buffer.concat(output).toString().slice(0, 2000)}`)
  return ms
}

/** What makes the link, as arguments of ip: the very commands of the tunnel's systemd unit. */
export function commandsFor({ interface_name, link }: TunnelState): string[][] {
  if (!link) throw new Error(`${interface_name} has no link to make`)
  const addresses = link.config.addresses.map((address) => addressAddArguments(interface_name, address))
  return [linkAddArguments(interface_name, link.config), ...addresses, ['link', 'set', 'dev', interface_name, 'up']]
}

export const batchOf = (commands: readonly string[][]): string =>
  `${commands.map((args) => args.join(' ')).join('\n')}\n`
