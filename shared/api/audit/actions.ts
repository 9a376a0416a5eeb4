// Every action that the audit log knows, with its number on the wire (decisions.md, U2): one table, so no entry can
// lack a name.
export const AUDIT_ACTIONS = {
  Login: 10,
  LoginFailed: 20,
  Logout: 30,
  TunnelCreate: 40,
  TunnelUpdate: 50,
  TunnelDelete: 60,
  TunnelEnable: 70,
  TunnelDisable: 80,
  TunnelReapply: 90,
  TunnelAdopt: 100,
  SettingUpdate: 110,
  PasswordChange: 120,
  PoolChange: 130,
  BackupImport: 140,
  RouteCreate: 150,
  RouteUpdate: 160,
  RouteDelete: 170,
  RouteEnable: 180,
  RouteDisable: 190,
  RouteReapply: 200,
  PasswordReset: 220,
  UsernameChange: 230,
  Setup: 1000,
  ReconcileIgnore: 1010,
  TunnelForget: 1020,
  DiagnosticRun: 1030,
  DiagnosticDelete: 1040,
  ForwardingEnable: 1050,
  ForwardingRevert: 1060,
  RouteReorder: 1070,
  MonitorToggle: 1080,
  SessionRefresh: 1090,
  SafeApplyOpen: 1100,
  SafeApplyConfirm: 1110,
  SafeApplyCancel: 1120,
  SafeApplyExtend: 1130,
  SafeApplyEnd: 1140,
  HealReset: 1150,
  IncidentAcknowledge: 1154,
  IncidentSilence: 1156,
  RouteCheckChange: 1160,
  DestinationDrain: 1170,
  DestinationReturn: 1180,
  RouteRotate: 1190,
  ListenerTry: 1200,
  ListenerKeep: 1210,
  ListenerRemove: 1220,
  ChangeSettle: 1240,
  WebhookCreate: 1300,
  WebhookUpdate: 1310,
  WebhookDelete: 1320,
  WebhookTest: 1330,
  SessionEnd: 1400,
  TotpSetup: 1410,
  TotpConfirm: 1420,
  TotpRemove: 1430,
  TokenCreate: 1440,
  TokenRevoke: 1450,
  PasswordConfirm: 1460,
  RecoveryCodes: 1470,
  NetworkCreate: 1600,
  NetworkUpdate: 1610,
  NetworkDelete: 1620,
  NetworkPathOut: 1630,
  NetworkPathBack: 1640,
  NetworkFailover: 1650,
  TunnelFarEndMoved: 1660,
} as const

export type AuditAction = keyof typeof AUDIT_ACTIONS

export const AUDIT_ACTION_NAMES = Object.keys(AUDIT_ACTIONS) as AuditAction[]

/** A sign-in that fails is an action of its own; everything else keeps its name and says so by the success flag. */
export const actionAsItEnded = (action: AuditAction, isSuccess: boolean): AuditAction =>
  action === 'Login' && !isSuccess ? 'LoginFailed' : action

export const actionNamed = (text: string): AuditAction | null =>
  AUDIT_ACTION_NAMES.find(
    (name) => name.toLowerCase() === text.toLowerCase() || String(AUDIT_ACTIONS[name]) === text,
  ) ?? null
