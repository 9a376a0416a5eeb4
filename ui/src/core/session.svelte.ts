// Session state: set-up, signed in or out, and signing in again without losing the form.
import type { SessionAnswer, UserView } from '@panel/shared/api/auth.ts'
import { call, callOnce, hasSession, onSessionLost } from './api.ts'
import { display } from './display.svelte.ts'
import { dropAllDrafts } from './drafts.ts'
import { forgetAll } from './query.svelte.ts'
import type { ApiMessage } from './message.ts'
import { toApiError, ApiError } from './api-error.ts'

type SessionState = 'starting' | 'setup' | 'signed-out' | 'signed-in' | 'silent'

class Session {
  state = $state<SessionState>('starting')
  user = $state.raw<UserView | null>(null)
  /** Why the session ended, or the panel is unreachable. */
  notice: ApiMessage | null = $state.raw(null)
  /** Whether to show the sign-in over the page. */
  needsSignIn = $state(false)
  #answer: { resolve: () => void; reject: (failure: Error) => void } | null = null

  /** Starts the page signed in if there is a session cookie; the first answers verify it. */
  begin(): void {
    onSessionLost(() => this.#signInInPlace())
    void this.refresh()
  }

  async refresh(): Promise<void> {
    try {
      if (hasSession()) {
        this.state = 'signed-in'
        await this.#readOwn()
      } else {
        const { setup_required } = await callOnce('GET /system/health')
        this.state = setup_required ? 'setup' : 'signed-out'
      }
    } catch (thrown) {
      this.#fail(toApiError(thrown))
    }
  }

  /** The name of the server is not in the page that strangers get. */
  async #readOwn(): Promise<void> {
    const { user, server_name } = await call('GET /auth/me')
    this.user = user
    await display.take({ 'display.server_name': server_name })
  }

  #leave(): void {
    this.user = null
    this.state = 'signed-out'
    void display.take({ 'display.server_name': '' })
  }

  #fail(error: ApiError): void {
    if (error.code === 'SETUP_REQUIRED') this.state = 'setup'
    else if (error.status === 401 || error.status === 403) this.state = 'signed-out'
    else {
      this.state = 'silent'
      this.notice = error
    }
  }

  async signIn(username: string, password: string, code: string): Promise<void> {
    const body = { username, password, ...(code !== '' && { code }) }
    this.#signedIn(await callOnce('POST /auth/login', { body }))
  }

  async setUp(username: string, password: string): Promise<void> {
    this.#signedIn(await callOnce('POST /auth/setup', { body: { username, password } }))
  }

  async signOut(): Promise<void> {
    await call('POST /auth/logout')
    this.#leave()
    forgetAll()
    dropAllDrafts()
  }

  /** Signing in again was declined: leave the page. */
  giveUp(): void {
    this.needsSignIn = false
    const error = { code: 'UNAUTHENTICATED', message: 'You are not signed in any more.' } as const
    this.#answer?.reject(new ApiError(401, error, { message_id: 'panel.signed_out' }))
    this.#answer = null
    this.#leave()
  }

  #signedIn({ user }: SessionAnswer): void {
    const isAnother = this.user !== null && this.user.user_id !== user.user_id
    const isNew = isAnother || this.state !== 'signed-in'
    if (isNew) forgetAll()
    if (isAnother) dropAllDrafts()
    this.user = user
    this.notice = null
    this.state = 'signed-in'
    this.needsSignIn = false
    if (isNew) void this.refresh()
    this.#answer?.resolve()
    this.#answer = null
  }

  /** Without a known user there is no form to keep, so the whole page asks. */
  #signInInPlace(): Promise<void> {
    if (this.user === null)
      return Promise.reject(
        new ApiError(
          401,
          { code: 'UNAUTHENTICATED', message: 'Sign in first: there is no session, or it has ended' },
          { message_id: 'panel.sign_in' },
        ),
      )
    this.needsSignIn = true
    return new Promise((resolve, reject) => (this.#answer = { resolve, reject }))
  }
}

export const session = new Session()
