// GET /system/info: version, paths and runtime of this installation (reference.md, System; decisions.md, Y1).
import { existsSync } from 'node:fs'
import { arch, hostname, platform, release } from 'node:os'
import type { InfoAnswer } from '@panel/shared/api/system.ts'
import type { HelperFacts } from '@panel/shared/host/model.ts'
import type { Reader } from '@panel/shared/rpc/methods.ts'
import type { ReadContext } from '../../platform/context.ts'
import { isHelperAway } from '../../platform/helper/away.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { toBasePath } from '../../platform/http/prefix.ts'
import { API_BASE } from '../../platform/http/routes.ts'
import { BUILD } from '../../platform/version.ts'

/** The configuration of the daemon. */
export interface Installation {
  readonly data_dir: string
  readonly database_path: string
  readonly socket_path: string
  readonly web_path: string
}

/** Kernel modules for tunnels and relaying. */
const MODULES = ['gre', 'ip_gre', 'ip6_gre', 'nf_tables', 'nf_nat', 'nf_conntrack'] as const

export function makeInfo(started_at: Date, { data_dir, database_path, socket_path, web_path }: Installation) {
  return async ({ request, now }: ReadContext, { place }: Incoming): Promise<Answer<InfoAnswer>> => {
    const helper = await helperFacts(request)
    const base_path = toBasePath(web_path)
    const answer: InfoAnswer = {
      build: BUILD,
      runtime: runtimeInfo(secondsSince(started_at, now())),
      paths: {
        data_dir,
        database_path,
        systemd_dir: helper?.unit_dir ?? '',
        networkd_dir: helper?.networkd_dir ?? '',
        socket_path,
      },
      serving: {
        bind_host: place.address,
        bind_port: place.port,
        web_path,
        base_path,
        api_base_path: `${base_path}${API_BASE}`,
      },
      kernel: {
        release: release(),
        loaded_modules: Object.fromEntries(MODULES.map((name) => [name, existsSync(`/sys/module/${name}`)])),
      },
      helper: { version: helper?.version ?? '', pid: helper?.pid ?? null, connected: helper !== null },
      started_at: started_at.toISOString(),
    }
    return ok(answer)
  }
}

export function secondsSince(then: Date, now: Date): number {
  return Math.max(0, Math.floor((now.getTime() - then.getTime()) / 1000))
}

/** `is_root` is always false: the daemon refuses to run as root. */
const runtimeInfo = (uptime_seconds: number): InfoAnswer['runtime'] => ({
  node_version: process.version,
  os: platform(),
  arch: arch(),
  hostname: hostname(),
  pid: process.pid,
  uid: process.getuid?.() ?? 0,
  is_root: false,
  uptime_seconds,
})

/** Null if the helper is away; the rest of the answer does not need it. */
async function helperFacts(request: Reader): Promise<HelperFacts | null> {
  try {
    return (await request('host.probe', { parts: ['helper'] })).helper
  } catch (failure) {
    if (isHelperAway(failure)) return null
    throw failure
  }
}
