// Shows, keeps or puts back the changes that wait for a confirmation, at the root helper's socket: it works without the
// web daemon, which follows when it runs again.
import type { WindowFound } from '@panel/shared/window/model.ts'
import type { Config } from '../app/config.ts'
import { CommandError } from './errors.ts'
import { printLine } from './print.ts'
import { resultOf } from './rpc.ts'

type Word = 'status' | 'confirm' | 'cancel'
const IF_ANY = '--if-any'
const WORDS: readonly string[] = ['status', 'confirm', 'cancel'] satisfies Word[]

/** `--if-any`: that nothing waits is no error, as for a script that runs before the helper goes. */
export async function safeApply(config: Config, args: readonly string[]): Promise<void> {
  const [word = 'status', ...others] = args.filter((arg) => arg !== IF_ANY)
  if (!WORDS.includes(word) || others.length > 0)
    throw new CommandError('Say status, confirm or cancel, and --if-any where nothing may be waiting')
  const { window, ended } = await resultOf(config, 'window.probe', {})
  if (word === 'status') return show({ window, ended })
  if (!window && args.includes(IF_ANY)) return
  if (!window) throw new CommandError('No changes are waiting for a confirmation')
  const { window_id } = window
  const after = await resultOf(config, word === 'confirm' ? 'window.confirm' : 'window.cancel', { window_id })
  if (after.window) throw new CommandError(`The changes could not be put back yet: ${after.window.detail}`)
  printLine(word === 'confirm' ? 'The changes are kept.' : 'The changes are put back.')
}

function show({ window, ended }: WindowFound): void {
  if (window) {
    const { seconds_left, changes, state, detail, remediation } = window
    printLine(`${changes} ${changes === 1 ? 'change waits' : 'changes wait'} for a confirmation.`)
    if (state === 'open') printLine(`Unless confirmed, everything is put back in ${seconds_left} s.`)
    else printLine(`Putting it back has ${state === 'stuck' ? `failed, and is tried again: ${detail}` : 'begun.'}`)
    for (const line of remediation) printLine(`  ${line}`)
    for (const [what, names] of touched(window)) if (names.length > 0) printLine(`${what}: ${names.join(', ')}`)
  } else printLine('No changes are waiting for a confirmation.')
  if (ended)
    printLine(
      `The last ones were put back ${ended.seconds_ago} s ago (${ended.how}); the web daemon has yet to take note of it.`,
    )
}

const touched = ({
  tunnels,
  route_rule_ids,
  is_forwarding_touched,
}: NonNullable<WindowFound['window']>): (readonly [string, readonly (string | number)[]])[] => [
  ['Tunnels', tunnels],
  ['Relay rules', route_rule_ids],
  ['IP forwarding', is_forwarding_touched ? ['changed'] : []],
]
