// tunnel-panel as it is shipped, beside a panel of this process: the bundle by itself, or through the script of the
// Debian package with this folder in place of the paths that it is installed to.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { signingKey } from '@panel/web-daemon/features/auth/key.ts'
import { bundle } from '../../../packaging/build/build.ts'
import type { Client } from './client.ts'
import { startPanel, type TestPanel } from './panel.ts'

const SCRIPT = join(import.meta.dirname, '../../../packaging/debian/tunnel-panel.sh')

export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly output: string
}

export interface CommandLine {
  readonly folder: string
  readonly panel: TestPanel
  readonly operator: Client
  readonly run: (args: readonly string[], env?: Record<string, string>, input?: string) => Promise<Ended>
  /** Runs a command through the script, which knows the panel by its configuration file alone. */
  readonly runScript: (args: readonly string[], env?: Record<string, string>, input?: string) => Promise<Ended>
  readonly close: () => Promise<void>
}

export async function startCommandLine(): Promise<CommandLine> {
  const folder = mkdtempSync(join(tmpdir(), 'panel-command-'))
  const program = join(folder, 'tunnel-panel.cjs')
  await bundle('web-daemon/cli/main.ts', program)
  const panel = await startPanel({ web_path: 'hidden', signing_key: signingKey(join(folder, 'session.key')) })
  const config = {
    PANEL_STATE_DIR: folder,
    PANEL_LISTEN_PORT: new URL(panel.base).port,
    PANEL_WEB_PATH: 'hidden',
  }
  return {
    folder,
    panel,
    operator: await panel.setUp(),
    run: (args, env = {}, input = '') => run([process.execPath, program, ...args], { ...config, ...env }, input),
    runScript: (args, env = {}, input = '') => run(['sh', script(folder, config), ...args], env, input),
    close: async () => {
      await panel.close()
      rmSync(folder, { recursive: true })
    },
  }
}

function script(folder: string, config: Readonly<Record<string, string>>): string {
  const [file, conf] = [join(folder, 'tunnel-panel.sh'), join(folder, 'panel.conf')]
  writeFileSync(
    conf,
    Object.entries(config)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  )
  const text = readFileSync(SCRIPT, 'utf8')
    .replaceAll('/usr/bin/node', process.execPath)
    .replaceAll('/usr/lib/tunnel-panel', folder)
    .replaceAll('/etc/tunnel-panel/panel.conf', conf)
  writeFileSync(file, text)
  return file
}

function run([program = '', ...args]: readonly string[], env: Record<string, string>, input: string): Promise<Ended> {
  const child = spawn(program, args, { env: { PATH: process.env['PATH'] ?? '', ...env } })
  let [out, output] = ['', '']
  child.stdout.on('data', (chunk) => (out += String(chunk)))
  child.stderr.on('data', (chunk) => (output += String(chunk)))
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out, output })))
}
