// Who uses the page: whether the panel is set up, whether somebody is signed in, and the sign-in in place that keeps a form when a session ends.
import type { SessionAnswer, UserView } from '@panel/shared/api/auth.ts'
import { call, callOnce, hasSession, onSessionLost } from './api.ts'
import { forgetAll } from './query.svelte.ts'
import { asRefused, Refused } from './refused.ts'

type Standing = 'starting' | 'setup' | 'signed-out' | 'signed-in' | 'silent'

class Session {
  standing = $state<Standing>('starting')
  user = $state.raw<UserView | null>(null)
  /** Why nobody is signed in any more, or the panel cannot be asked. */
  notice = $state('')
  /** Whether the sign-in in place is wanted. */
  isAskedFor = $state(false)
  #answer: { resolve: () => void; reject: (failure: Error) => void } | null = null

  /** With the cookie of a session the page begins as signed in, and learns from its first answers whether that holds. */
  begin(): void {
    onSessionLost(() => this.#signInInPlace())
    void this.look()
  }

  async look(): Promise<void> {
    try {
      if (hasSession()) {
        this.standing = 'signed-in'
        this.user = (await call('GET /auth/me')).user
      } else {
        const { setup_required } = await callOnce('GET /system/health')
        this.standing = setup_required ? 'setup' : 'signed-out'
      }
    } catch (thrown) {
      this.#fail(asRefused(thrown))
    }
  }

  #fail(refused: Refused): void {
    if (refused.code === 'SETUP_REQUIRED') this.standing = 'setup'
    else if (refused.status === 401 || refused.status === 403) this.standing = 'signed-out'
    else {
      this.standing = 'silent'
      this.notice = refused.message
    }
  }

  async signIn(username: string, password: string): Promise<void> {
    this.#begun(await callOnce('POST /auth/login', { body: { username, password } }))
  }

  async setUp(username: string, password: string): Promise<void> {
    this.#begun(await callOnce('POST /auth/setup', { body: { username, password } }))
  }

  async signOut(): Promise<void> {
    await call('POST /auth/logout')
    this.user = null
    this.standing = 'signed-out'
    forgetAll()
  }

  /** The operator will not sign in in place: the page they were on is given up. */
  giveUp(): void {
    this.isAskedFor = false
    this.#answer?.reject(new Refused(401, { code: 'UNAUTHENTICATED', message: 'You are not signed in any more.' }))
    this.#answer = null
    this.user = null
    this.standing = 'signed-out'
  }

  #begun({ user }: SessionAnswer): void {
    const isAnother = this.user !== null && this.user.user_id !== user.user_id
    if (isAnother || this.standing !== 'signed-in') forgetAll()
    this.user = user
    this.notice = ''
    this.standing = 'signed-in'
    this.isAskedFor = false
    this.#answer?.resolve()
    this.#answer = null
  }

  /** Where nobody was known to be signed in there is no form to keep, and the whole page asks. */
  #signInInPlace(): Promise<void> {
    if (this.user === null)
      return Promise.reject(new Refused(401, { code: 'UNAUTHENTICATED', message: 'Sign in first.' }))
    this.isAskedFor = true
    return new Promise((resolve, reject) => (this.#answer = { resolve, reject }))
  }
}

export const session = new Session()
