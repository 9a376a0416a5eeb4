// GET /system/health: every component, really tried (reference.md, System; decisions.md, T10, T20, Y7).
import type { HealthAnswer, HealthStatus } from '@panel/shared/api/system.ts'
import type { LinkKindSupport } from '@panel/shared/host/model.ts'
import type { Reader } from '@panel/shared/rpc/methods.ts'
import { fromRoot, message, messageFields } from '@panel/shared/messages/message.ts'
import { kernelRemedy } from '@panel/shared/tunnel/kernel-remedy.ts'
import { LOCAL_PROOF_COOKIE } from '../auth/local-proof.ts'
import { hasAccount } from '../auth/store.ts'
import type { Store } from '../../platform/db/store.ts'
import type { Component } from '../../platform/health.ts'
import { storeTrouble } from '../../platform/db/trouble.ts'
import type { ReadContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { errorMessage, Refusal } from '../../platform/http/refusal.ts'
import { isHelperAway } from '../../platform/helper/away.ts'
import { cached } from './cached.ts'
import { secondsSince } from './info.ts'

export interface About {
  readonly version: string
  readonly started_at: Date
}

/** Those of the features. */
export type OtherComponents = (context: ReadContext) => Promise<Component[]>

export interface HealthDeps extends About {
  readonly isLocal: (proof: string) => boolean
}

export function makeHealth(
  { version, started_at, isLocal }: HealthDeps,
  store: Pick<Store, 'trouble' | 'copyTrouble'>,
  others: OtherComponents,
): (context: ReadContext, incoming: Incoming) => Promise<Answer<HealthAnswer>> {
  const probe = cached(({ request }) => probeHost(request))
  return async (context, { session, cookies }) => {
    const { db, now } = context
    const [database, host, rest] = await Promise.all([probeDatabase(db, store), probe(context), others(context)])
    const components = [database.component, ...host, ...rest]
    const checked_at = now().toISOString()
    const status = worst(components)
    const { setup_required } = database
    const short: HealthAnswer = {
      status,
      setup_required,
      components: components.map(({ name, status: of }) => ({ name, status: of })),
      checked_at,
    }
    const full: HealthAnswer = {
      ...short,
      version,
      uptime_seconds: secondsSince(started_at, now()),
      components: components.map(({ detail, ...one }) => ({ ...one, ...messageFields('detail', detail) })),
    }
    return ok(session || isLocal(cookies[LOCAL_PROOF_COOKIE] ?? '') ? full : short)
  }
}

const probeDatabase = async (
  db: ReadContext['db'],
  store: Pick<Store, 'trouble' | 'copyTrouble'>,
): Promise<{ component: Component; setup_required: boolean }> => {
  try {
    const isSetUp = await hasAccount(db)
    const trouble = await store.trouble()
    const component: Component = trouble
      ? { name: 'database', status: 'error', detail: trouble.sentence }
      : store.copyTrouble
        ? { name: 'database', status: 'degraded', detail: store.copyTrouble }
        : { name: 'database', status: 'ok', detail: message('component.store') }
    return { component, setup_required: !isSetUp }
  } catch (failure) {
    return {
      component: {
        name: 'database',
        status: 'error',
        detail: storeTrouble(failure)?.sentence ?? errorMessage(failure),
      },
      setup_required: false,
    }
  }
}

/** An interface that never exists: the kernel is queried over netlink and finds nothing. */
const NOBODY = 'panel-health'

const probeHost = async (request: Reader): Promise<Component[]> => {
  const [kinds, links] = await Promise.allSettled([
    probeLinkKinds(request),
    request('tunnel.probe', { interface_names: [NOBODY] }),
  ])
  return [netlinkComponent(links), kernelModuleComponent(kinds)]
}

type Settled<T> = PromiseSettledResult<T>

const netlinkComponent = (links: Settled<unknown>): Component => {
  if (links.status === 'fulfilled') return { name: 'netlink', status: 'ok', detail: message('component.netlink') }
  return {
    name: 'netlink',
    status: isHelperAway(links.reason) ? 'unknown' : 'error',
    detail: errorMessage(links.reason),
  }
}

/**
 * Reads the kinds of links alone: everything else that the host can do starts programs, and health is requested all the
 * time.
 */
async function probeLinkKinds(request: Reader): Promise<readonly LinkKindSupport[]> {
  const { link_kinds } = await request('host.probe', { parts: ['link_kinds'] })
  if (!link_kinds) throw new Refusal('HELPER_UNAVAILABLE', message('panel.helper_silent_abilities'))
  return link_kinds
}

const kernelModuleComponent = (found: Settled<readonly LinkKindSupport[]>): Component => {
  const name = 'kernel_module'
  if (found.status === 'rejected') return { name, status: 'unknown', detail: errorMessage(found.reason) }
  const missing = found.value.filter(({ supported }) => !supported)
  if (missing.length === 0) return { name, status: 'ok', detail: message('component.kernel') }
  const kinds = missing.map(({ kind, detail: why }) =>
    message('component.kind', { kind, detail: why ? fromRoot(why) : message('component.kind_unsupported') }),
  )
  const remedy = kernelRemedy(missing)
  const detail = message('component.kernel_missing', { remedy, kinds })
  return { name, status: missing.length === found.value.length ? 'error' : 'degraded', detail }
}

const worst = (components: readonly Component[]): HealthStatus =>
  (['error', 'degraded', 'starting'] as const).find((status) =>
    components.some((component) => component.status === status),
  ) ?? 'ok'
