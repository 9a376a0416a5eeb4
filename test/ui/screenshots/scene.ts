// One picture: on which server, where, and what a person does before it is taken.
import type { Page } from 'playwright-core'
import type { Device } from './looks.ts'
import type { Say } from './words.ts'
import type { FullWorld } from './world.ts'

export interface At {
  readonly page: Page
  /** A text of the page in the language of the picture. */
  readonly say: Say
}

export interface Scene {
  readonly name: string
  /** Under the web path; absent: before anybody has signed in. */
  readonly path?: string
  /** Wants a server of its own, and makes of it what the picture is about. */
  readonly alone?: (world: FullWorld) => Promise<unknown> | unknown
  /** On a server that nobody has set up: 'new'; on one without tunnels: 'empty'. Else on one with everything. */
  readonly server?: 'new' | 'empty'
  /** Absent: both. */
  readonly devices?: readonly Device[]
  /** The dialog or menu that is open in it: the key of its title, or its component where the title varies. */
  readonly shows?: string
  /** What a person does there before the picture is taken. */
  readonly arrive?: (at: At) => Promise<unknown>
  /** Only what is in the window, such as a dialog, and not the page to its end. */
  readonly isWindow?: true
}
