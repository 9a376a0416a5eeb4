// Whose a listening socket is, by the kernel's own word: the control group that it was opened in.
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmdirSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { waitingSockets } from '@panel/root-helper/kernel/host/socket-table.ts'
import { socketsOfUnits } from '@panel/root-helper/kernel/host/unit-sockets.ts'
import { eventually } from '../support/eventually.ts'

/** The folder of control groups of version 2 on this host. */
const GROUPS = existsSync('/sys/fs/cgroup/unified') ? '/sys/fs/cgroup/unified' : '/sys/fs/cgroup'
const inodesOf = (pid: number | undefined): string[] =>
  readdirSync(`/proc/${pid}/fd`).flatMap(
    (fd) => /^socket:\[(\d+)\]$/.exec(targetOf(`/proc/${pid}/fd/${fd}`))?.[1] ?? [],
  )
/** "" of a descriptor that was closed since it was listed, as a shell does that becomes another program. */
const targetOf = (path: string): string => {
  try {
    return readlinkSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}
const listening = (): string[] =>
  waitingSockets('tcp', readFileSync('/proc/net/tcp6', 'utf8')).map(({ inode }) => inode)

describe('The sockets of a unit', () => {
  const group = mkdtempSync(`${GROUPS}/panel-test-`)
  const started: ChildProcess[] = []
  after(async () => {
    for (const child of started) {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    }
    rmdirSync(group)
  })

  it('are those that were opened in its control group, also without a look into the process', async () => {
    const opened = async (command: string): Promise<string> => {
      const child = spawn('sh', ['-c', `${command}exec socat TCP6-LISTEN:0,fork PIPE`], { stdio: 'ignore' })
      started.push(child)
      const inode = (): string | undefined => inodesOf(child.pid).find((one) => listening().includes(one))
      await eventually(() => inode() !== undefined, 'it listens')
      return inode() ?? assert.fail('it listens no longer')
    }
    const [inode] = [await opened(`echo $$ > ${group}/cgroup.procs; `), await opened('')]
    const found = await socketsOfUnits([basename(group), 'none.service'], dirname(group))
    assert.deepEqual([...found], [inode])
  })
})
