// tunnel-panel pair: makes this end of a tunnel from the pairing code that the other server shows.
import type { FromPairingCodeAnswer } from '@panel/shared/api/tunnels/pairing.ts'
import type { CreateTunnelAnswer } from '@panel/shared/api/tunnels/answers.ts'
import type { Config } from '../../app/config.ts'
import { CommandError } from '../errors.ts'
import { cannotGiveUpRoot, runAsOwner } from '../owner.ts'
import { printText } from '../print.ts'
import { onThisHost } from './run.ts'
import { send } from './send.ts'

export async function pair(config: Config, args: readonly string[]): Promise<void> {
  const [pairing_code, ...more] = args
  if (pairing_code === undefined || more.length > 0)
    throw new CommandError('pair takes one pairing code, as the other server shows it.', 2)
  if (cannotGiveUpRoot(config.state_dir)) return runAsOwner(config.state_dir, ['pair', pairing_code], '')
  const target = await onThisHost(config)
  const post = (path: string, body: Readonly<Record<string, unknown>>): Promise<unknown> =>
    send(target, { method: 'POST', path, body })
  const { tunnel: wanted } = (await post('/tunnels/from-pairing-code', { pairing_code })) as FromPairingCodeAnswer
  const { tunnel, warnings } = (await post('/tunnels', wanted)) as CreateTunnelAnswer
  const { interface_name, local_endpoint, remote_endpoint } = tunnel
  printText(
    [`${interface_name} is made, from ${local_endpoint} to ${remote_endpoint}.`, ...warnings.map((one) => one.message)]
      .map((line) => `${line}\n`)
      .join(''),
  )
}
