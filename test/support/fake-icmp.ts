// A network in memory for echo requests: what becomes of each is the test's to say.
import type { ReceivedIcmp } from '@panel/root-helper/kernel/icmp/port.ts'
import type { EchoPort, EchoRequest, Icmp, PathEnds } from '@panel/root-helper/kernel/icmp/port.ts'
import { KernelError } from '@panel/root-helper/kernel-error.ts'
import { systemClock, type Clock } from '@panel/root-helper/path/clock.ts'

export type FakeEcho = PathEnds & EchoRequest

/**
 * Null: nothing comes back. `refused`: the errno's name with which the kernel sends nothing. What is left out is as in
 * a reply after 1 ms.
 */
export type FakeAnswer = (Partial<ReceivedIcmp> & { readonly after_ms?: number }) | { readonly refused: string } | null

/** Any interface has the index that its name ends with. */
const indexOf = (name: string): number => Number(/\d+$/.exec(name)?.[0] ?? 0)

export class FakeIcmp implements Icmp {
  answer: (echo: FakeEcho) => FakeAnswer = () => ({})
  readonly sent: FakeEcho[] = []
  openPorts = 0
  readonly #clock: Clock

  constructor(clock: Clock = systemClock) {
    this.#clock = clock
  }

  open(hear: (received: ReceivedIcmp) => void): EchoPort {
    let isOpen = true
    this.openPorts += 1
    return {
      towards: (ends) => (echo) => this.#send({ ...ends, ...echo }, (received) => isOpen && hear(received)),
      drain: () => undefined,
      close: () => {
        isOpen = false
        this.openPorts -= 1
      },
    }
  }

  #send(echo: FakeEcho, hear: (received: ReceivedIcmp) => void): ReturnType<ReturnType<EchoPort['towards']>> {
    this.sent.push(echo)
    const at_us = this.#clock.epoch() * 1000
    const interface_index = indexOf(echo.interface_name)
    const answer = this.answer(echo)
    if (answer && 'refused' in answer)
      return new KernelError(answer.refused, `send to ${echo.target_address}: refused (${answer.refused})`)
    if (!answer) return { at_us, interface_index }
    const { after_ms = 1, ...output } = answer
    const { identifier, sequence, target_address, packet_size } = echo
    const usual: ReceivedIcmp = {
      kind: 'reply',
      identifier,
      sequence,
      is_sure: true,
      from_address: target_address,
      target_address,
      packet_size,
      hop_limit: 64,
      reported_mtu: null,
      text: '',
      at_us: at_us + after_ms * 1000,
      interface_index,
    }
    this.#clock.after(after_ms, () => hear({ ...usual, ...output }))
    return { at_us, interface_index }
  }
}
