// Why a persistence backend cannot keep tunnels on a host. Pure.
import { PERSISTENCE_TYPES } from '../api/base/lookups.ts'
import { fromRoot, message, type Message } from '../messages/message.ts'
import type { PersistenceBackend } from '../tunnel/model.ts'
import type { HelperFacts } from './model.ts'

const SAVER_OF: Readonly<Record<number, PersistenceBackend>> = {
  [PERSISTENCE_TYPES.Systemd]: 'systemd',
  [PERSISTENCE_TYPES.Networkd]: 'networkd',
}

type Savers = Pick<HelperFacts, 'savers'>

/** Why this persistence is not available on the host; null if it is. */
export function whyNotKept(persistence_type_id: number, facts: Savers): Message | null {
  const by = SAVER_OF[persistence_type_id]
  return by === undefined ? null : whyNoSaver(by, facts)
}

export function whyNoSaver(by: PersistenceBackend, { savers }: Savers): Message | null {
  const saver = savers.find((known) => known.by === by)
  if (saver?.available) return null
  return message('tunnel.cannot_be_kept', {
    keeper: by === 'systemd' ? by : 'systemd-networkd',
    detail: saver?.detail ? fromRoot(saver.detail) : message('tunnel.keeper_unknown'),
  })
}
