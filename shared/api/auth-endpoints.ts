// The endpoints of accounts, sessions, the second factor and API tokens.
import type {
  AccountAnswer,
  AccountBody,
  ConfirmAnswer,
  ConfirmBody,
  ConfirmTotpAnswer,
  ConfirmTotpBody,
  EndSessionAnswer,
  EndSessionsAnswer,
  ListSessionsAnswer,
  LoginBody,
  MeAnswer,
  RemoveTotpAnswer,
  RemoveTotpBody,
  SessionAnswer,
  SetupBody,
  SetUpTotpAnswer,
  SetUpTotpBody,
  SignedOutAnswer,
  TotpAnswer,
} from './auth.ts'
import type { CreateTokenAnswer, CreateTokenBody, DeleteTokenAnswer, ListTokensAnswer } from './tokens.ts'

export interface AuthEndpoints {
  'POST /auth/setup': { body: SetupBody; answer: SessionAnswer }
  'POST /auth/login': { body: LoginBody; answer: SessionAnswer }
  'POST /auth/refresh': { answer: SessionAnswer }
  'POST /auth/logout': { answer: SignedOutAnswer }
  'GET /auth/me': { answer: MeAnswer }
  'PUT /auth/me': { body: AccountBody; answer: AccountAnswer }
  'POST /auth/confirm': { body: ConfirmBody; answer: ConfirmAnswer }
  'GET /auth/me/totp': { answer: TotpAnswer }
  'POST /auth/me/totp': { body: SetUpTotpBody; answer: SetUpTotpAnswer }
  'POST /auth/me/totp/confirm': { body: ConfirmTotpBody; answer: ConfirmTotpAnswer }
  'DELETE /auth/me/totp': { body: RemoveTotpBody; answer: RemoveTotpAnswer }
  'GET /auth/tokens': { answer: ListTokensAnswer }
  'POST /auth/tokens': { body: CreateTokenBody; answer: CreateTokenAnswer }
  'DELETE /auth/tokens/{id}': { answer: DeleteTokenAnswer }
  'GET /auth/sessions': { answer: ListSessionsAnswer }
  'DELETE /auth/sessions/{id}': { answer: EndSessionAnswer }
  'DELETE /auth/sessions': { answer: EndSessionsAnswer }
}
