// Marks the keepalives that are enabled and yet do not run. systemd stops one with its link, so one without its link is
// none of them.
import type { TunnelFound } from '@panel/shared/tunnel/observed.ts'
import type { TunnelState } from '@panel/shared/tunnel/model.ts'
import { savedFileName } from '@panel/shared/tunnel/saved-file.ts'
import type { Kernel } from '../../kernel/facilities.ts'

export async function markStopped<T extends Pick<TunnelFound, 'state'>>(
  { units }: Pick<Kernel, 'units'>,
  found: readonly T[],
): Promise<T[]> {
  const shallRun = found.flatMap(({ state }) => (state && shallPing(state) ? [unitOf(state)] : []))
  const stopped = shallRun.length === 0 ? [] : await units.listStopped(shallRun)
  if (stopped.length === 0) return [...found]
  return found.map((one) =>
    one.state && stopped.includes(unitOf(one.state)) ? { ...one, state: asStopped(one.state) } : one,
  )
}

const unitOf = ({ interface_name }: TunnelState): string => savedFileName('systemd_keepalive_unit', interface_name)

function shallPing({ link, saved }: TunnelState): boolean {
  const { is_enabled = false, config = null } = saved?.systemd_keepalive_unit ?? {}
  return link !== null && is_enabled && config !== null
}

function asStopped(state: TunnelState): TunnelState {
  const unit = state.saved?.systemd_keepalive_unit
  if (!state.saved || !unit) return state
  return { ...state, saved: { ...state.saved, systemd_keepalive_unit: { ...unit, is_stopped: true } } }
}
