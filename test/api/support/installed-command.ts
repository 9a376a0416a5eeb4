// tunnel-panel as root runs it on an installed host, by the script of the package: with a state that is another user's,
// a configuration file, and a systemctl that writes down what it is called with.
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundle, ROOT } from '../../../packaging/build/build.ts'

export const OWNER = 65534

export interface InstalledCommand {
  readonly folder: string
  /** The folder of the web daemon; that of the helper lies beside it. */
  readonly state: string
  readonly conf: string
  /** Variables of the commands, beside those of this process. */
  readonly env: Record<string, string>
  readonly run: (...args: string[]) => { status: number | null; stdout: string; stderr: string }
  /** What systemctl was called with. */
  readonly systemctl: () => string[]
  /** What systemctl does, as lines of a shell. */
  readonly doing: (lines: string) => void
  readonly remove: () => void
}

export async function installCommand(options: Readonly<Record<string, string>> = {}): Promise<InstalledCommand> {
  const folder = mkdtempSync(join(tmpdir(), 'panel-installed-'))
  // The owner of the state runs parts of the program, which lies here.
  chmodSync(folder, 0o755)
  const [state, conf, program] = [join(folder, 'web'), join(folder, 'panel.conf'), join(folder, 'tunnel-panel.cjs')]
  for (const name of ['web', 'helper', 'bin']) mkdirSync(join(folder, name))
  chownSync(state, OWNER, OWNER)
  await bundle('web-daemon/cli/main.ts', program)
  const addon = 'better_sqlite3.node'
  writeFileSync(join(folder, addon), readFileSync(join(ROOT, '.build/bundle', addon)))
  const all = { PANEL_STATE_DIR: state, PANEL_HELPER_STATE_DIR: join(folder, 'helper'), ...options }
  writeFileSync(
    conf,
    Object.entries(all)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  )
  const script = join(folder, 'tunnel-panel.sh')
  writeFileSync(
    script,
    readFileSync(join(ROOT, 'packaging/debian/tunnel-panel.sh'), 'utf8')
      .replaceAll('/etc/tunnel-panel/panel.conf', conf)
      .replaceAll('/usr/lib/tunnel-panel/tunnel-panel.cjs', program)
      .replaceAll('/usr/bin/node', process.execPath),
  )
  const doing = (lines: string): void =>
    writeFileSync(join(folder, 'bin/systemctl'), `#!/bin/sh\necho "$*" >>${folder}/systemctl\n${lines}\n`, {
      mode: 0o755,
    })
  doing('')
  const env: Record<string, string> = {}
  return {
    env,
    folder,
    state,
    conf,
    doing,
    run: (...args) =>
      spawnSync('sh', [script, ...args], {
        encoding: 'utf8',
        env: { ...process.env, ...env, PATH: `${join(folder, 'bin')}:${process.env['PATH']}` },
      }),
    systemctl: () => readFileSync(join(folder, 'systemctl'), 'utf8').trim().split('\n'),
    remove: () => rmSync(folder, { recursive: true }),
  }
}
