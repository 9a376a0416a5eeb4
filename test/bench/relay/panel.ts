// The shipped daemons in a relay's network: the helper, which makes the rules, and the web daemon in front of it where
// it is wanted.
import { chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { RULES_PER_CHANGE_MAX, type RelayRule } from '@panel/shared/ruleset/model.ts'
import { Helper } from '../driver/helper.ts'
import { profiling } from '../host/stage.ts'
import type { Programs } from '../programs.ts'
import { HELPER_FLAGS, WEB_FLAGS } from '../../../packaging/run/node-flags.ts'
import type { Relay } from './stage.ts'

const WEB_UID = 61_184
export const WEB_URL = 'http://127.0.0.1:8480'
const AS_NOBODY = [
  `--reuid=${WEB_UID}`,
  `--regid=${WEB_UID}`,
  '--clear-groups',
  '--bounding-set=-all',
  '--inh-caps=-all',
  '--ambient-caps=-all',
  '--no-new-privs',
]

export class Panel {
  readonly relay: Relay
  readonly socket: string
  readonly store: string
  readonly #folder: string
  readonly #programs: string

  constructor(relay: Relay, folder: string, programs: Programs) {
    this.relay = relay
    this.#folder = folder
    this.#programs = programs.panel
    this.socket = join(folder, 'helper.sock')
    this.store = join(folder, 'web', 'panel.db')
    mkdirSync(join(folder, 'web'), { recursive: true })
  }

  /** Stores the rules like those accepted before a restart of the host. */
  keep(rules: readonly RelayRule[]): void {
    mkdirSync(join(this.#folder, 'helper'))
    writeFileSync(join(this.#folder, 'helper', 'ruleset.json'), JSON.stringify({ rules }))
  }

  async startHelper(): Promise<Helper> {
    const folders = Object.fromEntries(
      [
        ['UNIT', 'units'],
        ['NETWORKD', 'network'],
        ['SYSCTL', 'sysctl.d'],
        ['HELPER_STATE', 'helper'],
      ].map(([name, folder]) => [`PANEL_${name}_DIR`, join(this.#folder, folder ?? '')]),
    )
    await this.relay.network.start(
      [process.execPath, ...profiling(), ...HELPER_FLAGS, join(this.#programs, 'helper.cjs')],
      { ...folders, PANEL_HELPER_SOCKET: this.socket, PANEL_HELPER_GROUP: `${WEB_UID}` },
      /listening/,
    )
    return Helper.at(this.socket)
  }

  async startWeb(): Promise<void> {
    // Its maker is root, and the web daemon is nobody.
    for (const path of [this.#folder, join(this.#folder, 'web'), this.store]) chownSync(path, WEB_UID, WEB_UID)
    const web = [
      'setpriv',
      ...AS_NOBODY,
      process.execPath,
      ...profiling(),
      ...WEB_FLAGS,
      join(this.#programs, 'web.cjs'),
    ]
    await this.relay.network.start(
      web,
      { PANEL_STATE_DIR: join(this.#folder, 'web'), PANEL_HELPER_SOCKET: this.socket },
      /The panel is at/,
    )
  }
}

/** Takes the host from these rules to those, as many at once as one change may name; milliseconds in all. */
export async function applied(
  helper: Helper,
  before: readonly RelayRule[],
  after: readonly RelayRule[],
): Promise<number> {
  let took = 0
  for (let at = 0; at < Math.max(before.length, after.length); at += RULES_PER_CHANGE_MAX) {
    const [from, to] = [before, after].map((rules) => rules.slice(at, at + RULES_PER_CHANGE_MAX))
    const { result, ms } = await helper.request('ruleset.apply', {
      before: from?.length ? from : null,
      after: to?.length ? to : null,
    })
    if (result.outcome !== 'applied') throw new Error(`The rules were not applied: ${result.failure?.message}`)
    took += ms
  }
  return took
}
