// What leads to the receiver of a target and lets in there. The store holds it only sealed: the address of a Slack
// webhook is all that is needed to write there (decisions.md, N6).
import type { SecretBox } from '../../platform/secret-box.ts'
import type { NewWebhook } from './store.ts'

export interface Credentials {
  readonly url: string
  readonly secret: string
}

/** A target as it can be sent to. */
export type Receiver = NewWebhook & Credentials

type Sealed = Pick<NewWebhook, 'address' | 'has_secret' | 'sealed'>

export function sealCredentials(box: SecretBox, { url, secret }: Credentials): Sealed {
  const sealed = box.seal(Buffer.from(JSON.stringify({ url, secret })))
  return { address: addressOf(url), has_secret: secret !== '', sealed }
}

/** Null if they were sealed under another signing key. */
export function openCredentials(box: SecretBox, { sealed }: Pick<Sealed, 'sealed'>): Credentials | null {
  const opened = box.open(sealed)
  return opened && (JSON.parse(opened.toString()) as Credentials)
}

/** The address without its path, which is the secret for Slack, Discord and many others. */
export function addressOf(url: string): string {
  const { protocol, host } = new URL(url)
  return `${protocol}//${host}`
}
