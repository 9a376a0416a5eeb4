// ufw's own program, and firewalld's without its bus, in the namespace of a relay.
import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RelayRig } from './relay-rig.ts'
import { unpacked } from './unpacked.ts'

const PYTHON = '/usr/bin/python3'
const PATH = '/usr/sbin:/sbin:/usr/bin:/bin'
const MODULES = 'usr/lib/python3/dist-packages'

/** Makes the command `ufw` in the folder of the rig, with a configuration as Debian installs it, and returns its path. */
export function ufw({ folder }: RelayRig): string {
  const root = join(folder, 'ufw')
  cpSync(unpacked('ufw', ['ufw']), root, { recursive: true })
  cpSync(join(root, 'usr/share/ufw/iptables'), join(root, 'etc/ufw'), { recursive: true })
  cpSync(join(root, 'usr/share/ufw/ufw.conf'), join(root, 'etc/ufw/ufw.conf'))
  const command = join(root, 'bin/ufw')
  mkdirSync(join(root, 'bin'), { recursive: true })
  const call = `${PYTHON} ${root}/usr/sbin/ufw --rootdir=${root} --datadir=${root} "$@"`
  writeFileSync(command, `#!/bin/sh\nPATH=${PATH} PYTHONPATH=${root}/${MODULES} exec ${call}\n`)
  chmodSync(command, 0o755)
  return command
}

/** Starts firewalld as its service does, and ends; what it has loaded stays. */
const FIREWALLD = `
import sys
root = sys.argv[1]
sys.path.insert(0, root + '/${MODULES}')
from firewall import config
for name in dir(config):
    value = getattr(config, name)
    if isinstance(value, str) and value.startswith(('/etc/firewalld', '/usr/lib/firewalld')):
        setattr(config, name, root + value)
from firewall.core.fw import Firewall
firewall = Firewall()
firewall.start()
for argument in sys.argv[2:]:
    zone, interface = argument.split('=')
    firewall.zone.add_interface(zone, interface)
`

/** `zones` are those of interfaces, as "public=near0". */
export function firewalld({ folder, relay }: RelayRig, zones: readonly string[]): void {
  const root = unpacked('firewalld', ['firewalld', 'python3-firewall', 'python3-nftables'])
  const script = join(folder, 'firewalld.py')
  writeFileSync(script, FIREWALLD)
  relay.run('env', ['-i', `PATH=${PATH}`, PYTHON, script, root, ...zones])
}
