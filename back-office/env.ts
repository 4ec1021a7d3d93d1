/** The bindings that the back office uses itself. Everything else it asks of the payments plane. */
export type BackOfficeEnv = Pick<
  Env,
  | 'BACK_OFFICE_DB'
  | 'ASSETS'
  | 'DASHBOARD_RATE_LIMIT'
  | 'FAILED_KEY_RATE_LIMIT'
  | 'PAGE_VIEW_RATE_LIMIT'
  | 'SIGN_IN_RATE_LIMIT'
  | 'BACK_OFFICE_KEYS'
  | 'OPERATOR_SECRETS'
  | 'ACCESS_AUDIENCE'
  | 'ACCESS_TEAM_DOMAIN'
  | 'PUBLIC_BASE_URL'
  | 'RATE_LIMITS'
  | 'SOURCE_URL'
  | 'STATUS_URL'
  | 'SUPPORT_CONTACT'
>;
