// What is read from /proc and /sys, on texts as a Debian 13 machine showed them.
import assert from 'node:assert/strict'
import { linkFacts } from '@panel/web-daemon/features/metrics/parse/link.ts'
import { parseLoad } from '@panel/web-daemon/features/metrics/parse/loadavg.ts'
import { parseMemory, parseSwap } from '@panel/web-daemon/features/metrics/parse/meminfo.ts'
import { parseMounts, shownMounts } from '@panel/web-daemon/features/metrics/parse/mountinfo.ts'
import { parseNetDev } from '@panel/web-daemon/features/metrics/parse/net-dev.ts'
import { parseStat, usage } from '@panel/web-daemon/features/metrics/parse/stat.ts'
import { captured, capturedLinks } from '../../support/fake-host.ts'

describe('/proc/stat', () => {
  const [before, now] = [parseStat(captured('stat')), parseStat(captured('stat-later'))]

  it('gives all processors together first, and then each', () => {
    assert.deepEqual([...now.keys()], ['cpu', 'cpu0', 'cpu1'])
  })

  it('gives the shares of the time between two readings, a hundred percent in all', () => {
    // 59 user, 20 system and 395 idle ticks.
    assert.deepEqual(usage('cpu', now.get('cpu')!, before.get('cpu')), {
      name: 'cpu',
      usage_percent: 16.67,
      user_percent: 12.45,
      system_percent: 4.22,
      iowait_percent: 0,
      steal_percent: 0,
      idle_percent: 83.33,
    })
  })

  it('gives the shares since boot where there was no reading before', () => {
    assert.equal(usage('cpu', before.get('cpu')!).idle_percent, 27.63)
  })

  it('is never negative where the kernel corrects a figure downwards, nor where no time has passed', () => {
    const times = { user: 10, system: 0, iowait: 5, steal: 0, idle: 90 }
    const corrected = usage('cpu', { ...times, user: 20, iowait: 3 }, times)
    assert.deepEqual([corrected.iowait_percent, corrected.usage_percent], [0, 100])
    assert.deepEqual([usage('cpu', times, times).usage_percent, usage('cpu', times, times).idle_percent], [0, 100])
  })

  it('counts what the hypervisor took as used, and waiting for a disk as idle', () => {
    const none = { user: 0, system: 0, iowait: 0, steal: 0, idle: 0 }
    const { usage_percent, steal_percent, iowait_percent } = usage(
      'cpu',
      { ...none, steal: 25, iowait: 25, idle: 50 },
      none,
    )
    assert.deepEqual([usage_percent, steal_percent, iowait_percent], [25, 25, 25])
  })

  it('is refused where it is something else', () => {
    assert.throws(() => parseStat('nonsense'), /no line of all processors/)
  })
})

describe('/proc/meminfo', () => {
  it('gives memory in bytes; used is what programs could not have', () => {
    assert.deepEqual(parseMemory(captured('meminfo')), {
      total_bytes: 1541578752,
      used_bytes: 231755776,
      free_bytes: 1335455744,
      available_bytes: 1309822976,
      buffers_bytes: 3473408,
      cached_bytes: 116846592,
      used_percent: 15.03,
    })
  })

  it('tells that swap is not configured', () => {
    assert.deepEqual(parseSwap(captured('meminfo')), {
      configured: false,
      total_bytes: 0,
      used_bytes: 0,
      free_bytes: 0,
      used_percent: 0,
    })
  })

  it('gives swap where there is some', () => {
    const swap = parseSwap(
      captured('meminfo')
        .replace(/SwapTotal: .*/, 'SwapTotal:       1000 kB')
        .replace(/SwapFree: .*/, 'SwapFree:         750 kB'),
    )
    assert.deepEqual(swap, {
      configured: true,
      total_bytes: 1024000,
      used_bytes: 256000,
      free_bytes: 768000,
      used_percent: 25,
    })
  })

  it('is refused where a field is missing, by its name', () => {
    assert.throws(() => parseMemory('MemTotal: 5 kB\n'), /no MemAvailable/)
  })
})

describe('/proc/loadavg', () => {
  it('gives the three averages and the tasks', () => {
    assert.deepEqual(parseLoad(captured('loadavg')), {
      one: 2.61,
      five: 0.76,
      fifteen: 0.26,
      running_tasks: 1,
      total_tasks: 104,
    })
  })

  it('is refused where it is something else', () => {
    assert.throws(() => parseLoad('high'), /says "high"/)
  })
})

describe('/proc/net/dev', () => {
  it('gives the counters of every interface in the order of the kernel', () => {
    const found = parseNetDev(captured('net-dev'))
    assert.equal(found.size, 16)
    assert.deepEqual([...found.keys()].slice(0, 3), ['lo', 'eth0', 'gre0'])
    assert.deepEqual(found.get('veth1'), {
      rx_bytes: 586,
      rx_packets: 7,
      rx_errors: 0,
      rx_dropped: 0,
      tx_bytes: 516,
      tx_packets: 6,
      tx_errors: 0,
      tx_dropped: 0,
    })
    assert.equal(found.get('eth0.5')?.rx_bytes, 0)
  })

  it('reads a counter that leaves no room beside the name', () => {
    const text = captured('net-dev').replace('  eth0:      64', '  eth0:9876543210987')
    assert.equal(parseNetDev(text).get('eth0')?.rx_bytes, 9876543210987)
  })

  it('is refused where its heading has changed', () => {
    assert.throws(() => parseNetDev('something else'), /heading has changed/)
  })
})

describe('/proc/self/mountinfo', () => {
  const mounts = parseMounts(captured('mountinfo'))

  it('gives each mount with its device and its own path, blanks and all', () => {
    assert.equal(mounts.length, 25)
    assert.ok(mounts.some(({ mount_point, filesystem }) => mount_point === '/mnt/with space' && filesystem === 'tmpfs'))
    assert.deepEqual(mounts.at(-1), {
      device_number: '254:0',
      root: '/srv/my data/sub',
      mount_point: '/mnt/again',
      filesystem: 'ext4',
      device: '/dev/vda',
      is_read_only: false,
    })
  })

  it('is worth one line for each disk, however often it is mounted', () => {
    assert.deepEqual(
      shownMounts(mounts, true).map(({ mount_point }) => mount_point),
      ['/'],
    )
  })

  it('is worth more lines where pseudo file systems are not hidden, and none that could hang', () => {
    const shown = shownMounts(mounts, false)
    assert.ok(shown.some(({ mount_point }) => mount_point === '/run'))
    assert.ok(!shown.some(({ filesystem }) => filesystem === 'autofs'))
  })

  const line = (root: string, mount_point: string, kind: string): string =>
    `1 1 8:1 ${root} ${mount_point} rw - ${kind} rw`

  it('never asks a server that may be away, hides images, and shows the root of a container', () => {
    const text = ['10.0.0.1:/data nfs', '/dev/loop3 squashfs', 'overlay overlay', '/dev/sdb1 fuseblk'].map(
      (words, at) => {
        const [device = '', filesystem = ''] = words.split(' ')
        return `1 1 0:${at} / ${filesystem === 'overlay' ? '/' : `/mnt/${at}`} rw - ${filesystem} ${device} rw`
      },
    )
    assert.deepEqual(
      shownMounts(parseMounts(text.join('\n')), true).map(({ filesystem }) => filesystem),
      ['overlay'],
    )
  })

  it('takes the whole before a part, and what lies on top of what is mounted over', () => {
    const text = [
      line('/part', '/a', 'ext4 /dev/sda1'),
      line('/', '/longer', 'ext4 /dev/sda1'),
      '1 1 8:2 / /b rw - ext4 /dev/sdb ro',
      '1 1 0:9 / /b rw - tmpfs tmpfs rw',
    ].join('\n')
    assert.deepEqual(
      shownMounts(parseMounts(text), true).map(({ mount_point }) => mount_point),
      ['/longer'],
    )
  })

  it('knows a disk that is read-only from one that is so for this program', () => {
    const [own, all] = parseMounts(
      ['1 1 8:1 / /a ro - ext4 /dev/sda rw', '1 1 8:2 / /b ro - ext4 /dev/sdb ro,errors=remount-ro'].join('\n'),
    )
    assert.deepEqual([own?.is_read_only, all?.is_read_only], [false, true])
  })
})

describe('/sys/class/net', () => {
  const factsOf = (name: string, knownKind?: string) => {
    const { has, ...files } = capturedLinks[name]!
    return linkFacts({ ...files, hasDevice: has.includes('device'), hasTunFlags: has.includes('tun_flags') }, knownKind)
  }

  it('tells class and kind of every interface of a machine that has many', () => {
    const reported = Object.keys(capturedLinks).map((name) =>
      [name, factsOf(name).class, factsOf(name).kind].join(' ').trim(),
    )
    assert.deepEqual(reported, [
      'br0 other bridge',
      'erspan0 other',
      'eth0 physical',
      'eth0.5 other vlan',
      'gre-a-1 tunnel gre',
      'gre0 tunnel gre',
      'gretap0 other',
      'ip6gre0 tunnel ip6gre',
      'ip6tnl0 tunnel',
      'lo loopback',
      'six1 tunnel ip6gre',
      'tap1 other',
      'tun0 tunnel tun',
      'veth0 other',
      'veth1 other',
      'wg0 tunnel wireguard',
    ])
  })

  it("takes the panel's word for an Ethernet tunnel, and never for a card", () => {
    assert.deepEqual([factsOf('tap1', 'gretap').class, factsOf('tap1', 'gretap').kind], ['tunnel', 'gretap'])
    assert.deepEqual([factsOf('eth0', 'gretap').class, factsOf('eth0', 'gretap').kind], ['physical', ''])
  })

  it('tells index, MTU and state', () => {
    assert.deepEqual(factsOf('gre-a-1'), {
      index: 9,
      class: 'tunnel',
      kind: 'gre',
      mtu: 1472,
      oper_state: 'UNKNOWN',
      is_up: true,
    })
    assert.equal(factsOf('gre0').is_up, false)
  })
})
