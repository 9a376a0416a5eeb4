// Which interfaces cannot be adopted, and what is to be known about one that can. Each refusal says what to do.
import { whyNotKept } from '@panel/shared/host/savers.ts'
import { KERNEL_STUBS, type LinkState } from '@panel/shared/tunnel/model.ts'
import type { AdoptBody } from '@panel/shared/api/reconcile.ts'
import type { Warning } from '@panel/shared/api/base/errors.ts'
import type { WarningCode } from '@panel/shared/api/base/codes.ts'
import type { PlanView } from '@panel/shared/api/tunnels/answers.ts'
import { PERSISTENCE_TYPES } from '@panel/shared/api/base/lookups.ts'
import type { HelperFacts } from '@panel/shared/host/model.ts'
import { networkdLimits, type Limit } from '@panel/shared/tunnel/networkd-limits.ts'
import type { TunnelFound } from '@panel/shared/tunnel/observed.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import { tunnelNamed } from '@panel/shared/messages/named.ts'
import { Problems } from '../../platform/http/problems.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import type { PoolRecord } from '../pools/store.ts'
import type { NewTunnel } from '../tunnels/record.ts'
import type { ExistingTunnel } from '../tunnels/store.ts'
import { persistenceTypeOf } from './persistence.ts'

const field = 'interface_name'

/** Throws 409 for a stub of the kernel and for a name that the panel manages already. */
export function refuseName(interface_name: string, neighbours: readonly ExistingTunnel[]): void {
  if ((KERNEL_STUBS as readonly string[]).includes(interface_name)) {
    throw new Refusal('PROTECTED_INTERFACE', message('adopt.kernel_interface', { name: interface_name }), {
      field,
      details: { interface_name },
    })
  }
  const owner = neighbours.find((n) => n.interface_name === interface_name)
  if (owner)
    throw new Refusal(
      'CONFLICT',
      message('adopt.managed', { tunnel: tunnelNamed(owner), tunnel_id: owner.tunnel_id }),
      {
        field,
        details: { interface_name, tunnel_id: owner.tunnel_id },
      },
    )
}

/** Throws 404 where there is no such interface, and 409 where it is no tunnel of a kind that the panel knows. */
export function linkIn({ interface_name, state, observed }: TunnelFound): LinkState {
  if (!observed)
    throw new Refusal('NOT_FOUND', message('adopt.no_interface', { name: interface_name }), {
      field,
      details: { interface_name },
    })
  if (state?.link) return state.link
  throw new Refusal(
    'PROTECTED_INTERFACE',
    observed.kind
      ? message('adopt.other_kind', { name: interface_name, kind: observed.kind })
      : message('adopt.no_tunnel', { name: interface_name }),
    { field, details: { interface_name, kind: observed.kind } },
  )
}

/**
 * What keeps the tunnel from now on: what was requested, or else what keeps it already. Throws 422 for what the host
 * cannot do.
 */
export function persistenceFor(body: AdoptBody, { interface_name, state }: TunnelFound, helper: HelperFacts): number {
  const kept = persistenceTypeOf(state?.saved ?? null)
  const wanted = body.takeover === true ? PERSISTENCE_TYPES.Systemd : (body.persistence_type_id ?? kept)
  const problems = new Problems()
  if (
    body.takeover === true &&
    body.persistence_type_id !== undefined &&
    body.persistence_type_id !== PERSISTENCE_TYPES.Systemd
  ) {
    problems.add('takeover', 'INVALID_VALUE', message('adopt.takeover'))
  }
  const config = wanted === PERSISTENCE_TYPES.Networkd ? state?.link?.config : undefined
  const limits = config ? networkdLimits(interface_name, config) : []
  const reason =
    wanted === kept
      ? limitOnKeeper(kept, limits)
      : (letGo(interface_name, kept) ?? whyNotKept(wanted, helper) ?? limitOnKeeper(wanted, limits))
  if (reason !== null)
    problems.add(body.takeover === true ? 'takeover' : 'persistence_type_id', 'INVALID_PERSISTENCE_TYPE', reason)
  problems.throwIfAny()
  return wanted
}

/**
 * To be let go of by networkd costs a link its addresses, so it is no part of an adoption that leaves the link alone.
 */
const letGo = (interface_name: string, kept: number): Message | null =>
  kept === PERSISTENCE_TYPES.Networkd ? message('adopt.let_go', { name: interface_name }) : null

const limitOnKeeper = (keeper: number, limits: readonly Limit[]): Message | null =>
  keeper === PERSISTENCE_TYPES.Networkd && limits.length > 0
    ? message('tunnel.networkd_limits_of_link', { limits: limits.map((limit) => message('tunnel.limit', limit)) })
    : null

/** Throws 422 for a pool that is not there. */
export function checkPool({ address_pool_id }: AdoptBody, pools: readonly PoolRecord[]): void {
  if (
    address_pool_id === undefined ||
    address_pool_id === null ||
    pools.some((pool) => pool.address_pool_id === address_pool_id)
  )
    return
  const problems = new Problems()
  problems.add('address_pool_id', 'UNKNOWN_ADDRESS_POOL', message('tunnel.no_pool', { pool_id: address_pool_id }))
  problems.throwIfAny()
}

export function warningsOf(
  record: NewTunnel,
  found: TunnelFound,
  neighbours: readonly ExistingTunnel[],
  plan: PlanView,
): Warning[] {
  return [
    ...duplicates(record, neighbours),
    ...unmanagedParts(record, found),
    ...persistenceWarnings(record, found, plan),
  ].map(([code, about, text]) => ({ code, ...text, field: about }))
}

type Finding = readonly [code: WarningCode, field: string, text: Message]

function duplicates(record: NewTunnel, neighbours: readonly ExistingTunnel[]): Finding[] {
  const other = neighbours.find(
    (one) =>
      one.tunnel_type_id === record.tunnel_type_id &&
      one.local_endpoint === record.local_endpoint &&
      one.remote_endpoint === record.remote_endpoint &&
      one.ikey === record.ikey,
  )
  if (!other) return []
  return [['TUNNEL_ENDPOINT_CONFLICT', 'remote_endpoint', message('adopt.duplicate', { tunnel: tunnelNamed(other) })]]
}

function unmanagedParts({ interface_name }: NewTunnel, { unmodelled, foreign_files }: TunnelFound): Finding[] {
  const findings: Finding[] = []
  if (unmodelled.length > 0) {
    const params = { name: interface_name, what: unmodelled.join(', ') }
    findings.push(['UNMODELLED_STATE', field, message('adopt.unmodelled', params)])
  }
  if (foreign_files.length > 0) {
    findings.push(['FOREIGN_UNIT_FILE', field, message('adopt.foreign_files', { files: foreign_files.join(', ') })])
  }
  return findings
}

function persistenceWarnings(
  { interface_name, persistence_type_id }: NewTunnel,
  { state }: TunnelFound,
  { steps }: PlanView,
): Finding[] {
  const about = 'persistence_type_id'
  const findings: Finding[] = []
  if (state?.saved && steps.length > 0) {
    const described = steps.map(({ description }) => description).join(' ')
    findings.push([
      'UNIT_FILE_CHANGED',
      about,
      message('adopt.unit_changed', { name: interface_name, steps: described }),
    ])
  }
  if (persistence_type_id === PERSISTENCE_TYPES.Runtime) {
    findings.push(['RUNTIME_ONLY_PERSISTENCE', about, message('adopt.runtime', { name: interface_name })])
  }
  return findings
}
