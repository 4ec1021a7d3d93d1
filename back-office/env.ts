/** The bindings that the back office uses itself. Everything else it asks of the payments plane. */
export type BackOfficeEnv = Pick<
  Env,
  | 'BACK_OFFICE_DB'
  | 'ASSETS'
  | 'BACK_OFFICE_KEYS'
  | 'DASHBOARD_RATE_LIMIT'
  | 'PAGE_VIEW_RATE_LIMIT'
  | 'SIGN_IN_RATE_LIMIT'
  | 'OPERATOR_SECRETS'
  | 'PUBLIC_BASE_URL'
  | 'RATE_LIMITS'
  | 'ACCESS_TEAM_DOMAIN'
  | 'ACCESS_AUDIENCE'
>;
