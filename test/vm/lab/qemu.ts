// QEMU's arguments for the machine. A saved memory fits only the very same words, so this file is part of its key.
import type { Image } from './image.ts'
import { addressOf, type Card } from './machine.ts'

export type Accelerator = 'kvm' | 'tcg'

export interface Size {
  readonly processors: number
  readonly memoryMegabytes: number
  /**
   * What the machine's time goes by. `instructions`: each one of them takes 2 ns, so what else the host does changes no
   * figure that is measured inside. For one processor, and always emulated.
   */
  readonly clock?: 'host' | 'instructions'
}

export interface Hardware {
  readonly image: Image
  readonly accelerator: Accelerator
  readonly size: Size
  readonly disk: string
  /**
   * A saved memory to wake up with instead of booting. The disk is then as it was at that moment and nothing is written
   * to it.
   */
  readonly memory?: string
}

/** The file descriptor that QEMU finds its control socket on. */
export const qmpDescriptor = 3

// QEMU 7.2's emulated cmpxchg16b double-faults in kernel 6.12, so the emulated processor does without it.
const emulated = ['-cpu', 'Nehalem,-cx16']

function processor(accelerator: Accelerator, { clock }: Size): readonly string[] {
  if (clock === 'instructions') return [...emulated, '-accel', 'tcg,thread=single', '-icount', 'shift=1']
  return accelerator === 'kvm' ? ['-accel', 'kvm', '-cpu', 'host'] : [...emulated, '-accel', 'tcg,thread=multi']
}

export function qemuArguments({ image, accelerator, size, disk, memory }: Hardware): string[] {
  const throwAway = memory === undefined ? 'off' : 'on'
  return [
    ...['-machine', 'pc', '-nodefaults', '-no-user-config', '-display', 'none', '-vga', 'none'],
    ...processor(accelerator, size),
    ...['-smp', String(size.processors), '-m', String(size.memoryMegabytes)],
    ...[
      '-kernel',
      image.kernel,
      '-initrd',
      image.initramfs,
      '-append',
      'console=ttyS0 loglevel=4 TERM=dumb net.ifnames=0 mitigations=off panic=-1',
    ],
    // A reboot that no test has requested is a crash, and ends QEMU: a command that waits for an answer would wait for
    // ever for a machine that has started again.
    ...['-action', 'reboot=shutdown'],
    // The machine's life is the test's: there is nothing to protect from a power cut, so no flush waits for the host's
    // disk.
    ...['-drive', `file=${escaped(disk)},if=virtio,format=qcow2,cache=unsafe,snapshot=${throwAway}`],
    ...card('web'),
    ...card('control'),
    // A new generation id on every start makes a woken kernel reseed its random numbers.
    ...['-device', 'virtio-rng-pci', '-device', 'vmgenid,guid=auto'],
    ...['-chardev', 'stdio,id=console,signal=off', '-serial', 'chardev:console'],
    ...['-chardev', `socket,id=qmp,fd=${String(qmpDescriptor)}`, '-mon', 'chardev=qmp,mode=control'],
    ...(memory === undefined ? [] : ['-incoming', `exec:cat ${quoted(memory)}`]),
  ]
}

// The order of the cards makes them eth0 and eth1 in the machine. The first address that QEMU would lease is the .15.
function card(id: Card): string[] {
  const network = addressOf[id].replace(/\d+$/, '0/24')
  return ['-netdev', `user,id=${id},restrict=on,net=${network}`, '-device', `virtio-net-pci,netdev=${id},romfile=`]
}

/** For a value inside QEMU's comma-separated options. */
function escaped(path: string): string {
  return path.replaceAll(',', ',,')
}

/** For the shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
