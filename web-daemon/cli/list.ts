// The commands that need no API, in the one place that --help, the manual page and completion are made of. What each
// does is in commands.ts.
import { ALLOWS } from '@panel/shared/limits/file.ts'
import { SET_ASIDE_FILES } from './host/set-aside-files.ts'

export interface Command {
  /** One line of the list of commands. */
  readonly summary: string
  /** What follows the name; "" if it takes nothing. */
  readonly usage: string
  /** Further sentences for --help and the manual page. */
  readonly details?: string
  readonly options?: Readonly<Record<string, string>>
  /** What its first argument may be. */
  readonly words?: readonly string[]
}

export type CommandName =
  | 'status'
  | 'url'
  | 'set-listen'
  | 'make-certificate'
  | 'reset-password'
  | 'pair'
  | 'apply'
  | 'plan'
  | 'diff'
  | 'export'
  | 'safe-apply'
  | 'limits'
  | 'allow'
  | 'interfaces'
  | 'check-store'
  | 'set-aside'
  | 'open-setup'
  | 'take-down'
  | 'rpc'
  | 'completion'

const PANEL_OPTIONS = {
  '--panel URL': 'a panel elsewhere, with an API token of the scope desired',
  '--token-file FILE': 'where the token is, which only its owner may read',
}
const FILE_OPTIONS = {
  '-f FILE': 'the file; - is the standard input',
  '--name NAME': 'what the file is known by',
  '--prune none | named | all': 'what becomes of what the file does not name',
  '--include-adopted': 'prune deletes adopted tunnels, too, which the panel has not made',
  '--lock': 'from now on only this file changes what it names, until it is unlocked',
  '--unlock': 'what it names may be changed by hand again',
  '--base DIGEST': 'refuse if the panel has another digest than when the file was made',
  '--confirm-within SECONDS': 'put everything back unless it is confirmed in time',
  '--json': 'print the answer as JSON',
  ...PANEL_OPTIONS,
}

export const COMMANDS: Readonly<Record<CommandName, Command>> = {
  status: {
    summary: 'Show both daemons, the health of the panel, and how each tunnel and each relay rule is.',
    usage: '[--json]',
    details:
      'Exits with 0 if everything is up that shall be, with 1 if a daemon, a component, a tunnel or a rule is down, and with 6 if nothing is known to be down and something could not be learned. A tunnel that is disabled or not to be monitored counts as neither, and a degraded one as up.',
    options: { '--json': 'the same as JSON' },
  },
  url: {
    summary: 'Show the address to open.',
    usage: '',
  },
  'set-listen': {
    summary: 'Listen at this address, and restart the web daemon.',
    usage: 'ADDRESS [PORT] [--without-tls]',
    details:
      'An address that others can reach is refused without TLS. A listener that was kept in the panel is forgotten by this. Where the panel cannot listen there, it goes on where it did before.',
    options: { '--without-tls': 'a proxy before the panel has TLS' },
  },
  'make-certificate': {
    summary: 'Make or renew a self-signed certificate for these host names and addresses.',
    usage: 'NAME...',
    details: 'Root also writes it into the configuration and restarts the web daemon.',
  },
  'reset-password': {
    summary: 'Set a new password for the operator, read from the terminal or the standard input.',
    usage: '[--keep-tokens]',
    details:
      'It also switches the second factor off if wanted. Every session ends, and every API token; the audit log records it.',
    options: { '--keep-tokens': 'API tokens stay valid' },
  },
  pair: {
    summary: 'Make this end of a tunnel from the pairing code that the other server shows.',
    usage: 'CODE',
  },
  apply: {
    summary: 'Take the panel to what a file says, as one whole; a second time changes nothing.',
    usage: '-f FILE [--name NAME] [--prune none | named | all] [--lock | --unlock]',
    details:
      'The file is YAML or JSON, as export writes it. What a field leaves out has its default. Its name is that of the file unless --name says another one, and --prune named deletes what an earlier file of the name made and this one does not name.',
    options: FILE_OPTIONS,
  },
  plan: {
    summary: 'Show the requests that apply would send, and change nothing.',
    usage: '-f FILE [--prune none | named | all]',
    details: 'Exits with 2 if something would change, and with 0 if not.',
    options: FILE_OPTIONS,
  },
  diff: {
    summary: 'Show what differs from a file, field by field, and change nothing.',
    usage: '-f FILE [--prune none | named | all]',
    details: 'Exits with 2 if something would change, and with 0 if not.',
    options: FILE_OPTIONS,
  },
  export: {
    summary: 'Print everything that the panel is to do as such a file. Applied, it changes nothing.',
    usage: '[--yaml | --json]',
    options: { '--yaml': 'YAML, which is the default', '--json': 'JSON', ...PANEL_OPTIONS },
  },
  'safe-apply': {
    summary: 'Show the changes that wait for a confirmation, keep them (confirm) or put them back now (cancel).',
    usage: '[status | confirm | cancel] [--if-any]',
    details: 'It works without the web daemon.',
    options: { '--if-any': 'that nothing waits is no error' },
    words: ['status', 'confirm', 'cancel'],
  },
  limits: {
    summary: 'Show what root allows on this host by /etc/tunnel-panel/limits.conf, and how much of it is used.',
    usage: '',
  },
  allow: {
    summary: 'Allow more on this host: add a line to limits.conf, which holds at once. For root alone.',
    usage: 'KIND VALUE',
    details: `The kind is ${Object.keys(ALLOWS).join(', ')}, or a number of the file. A refusal of the panel shows the command to run.`,
    words: Object.keys(ALLOWS),
  },
  interfaces: {
    summary: 'List the interfaces of the tunnels that the panel manages, one per line.',
    usage: '[--own]',
    options: { '--own': 'without those that were adopted as they were' },
  },
  'check-store': {
    summary: 'Check on a copy that this version can migrate the store.',
    usage: '',
  },
  'set-aside': {
    summary: 'Rename a file that a daemon cannot use, and restart the daemon that reads it.',
    usage: 'FILE',
    details:
      "Of the root helper: change-under-way.json, the journal of a change that was cut short, ruleset.json, the relay rules for the next boot, links.json, the links that are the panel's, answers.json, the tunnels that are answered through, networks.json, the networks behind tunnels, window.json and window-ended.json, changes that wait for a confirmation. Of the web daemon: panel.db, the store with what SQLite keeps beside it, and session.key, the signing key. The command says what to do next.",
    words: SET_ASIDE_FILES,
  },
  'open-setup': {
    summary: 'Open setup once after the store was lost, so that the next visitor creates the account. For root alone.',
    usage: '',
    details: 'The web daemon is restarted. Where there is an account nothing changes.',
  },
  'take-down': {
    summary: "Remove the panel's tunnels and relay rules from the host. The store keeps them.",
    usage: '',
    details: 'The web daemon is stopped first. Reapply in the panel brings them back.',
  },
  rpc: {
    summary: 'Send a request to the root helper and print the answer. The parameters are JSON, by default {}.',
    usage: 'METHOD [PARAMETERS]',
  },
  completion: {
    summary: 'Print what bash completes: eval "$(tunnel-panel completion bash)". The package installs it.',
    usage: 'bash',
    words: ['bash'],
  },
}

export function isCommand(name: string): name is CommandName {
  return Object.hasOwn(COMMANDS, name)
}
