// What the API answers about the operator and their session (interface.md, Session; decisions.md, A5 to A8).
export interface UserView {
  readonly user_id: number
  readonly username: string
  readonly is_active: boolean
  readonly last_login_date: string | null
  readonly created_date: string
}

/** Tells when the tokens end, never what they are. */
export interface SessionAnswer {
  readonly user: UserView
  readonly csrf_token: string
  readonly access_expires_at: string
  readonly refresh_expires_at: string
}

export interface MeAnswer extends UserView {
  readonly user: UserView
}

export const MIN_PASSWORD_CHARACTERS = 12
