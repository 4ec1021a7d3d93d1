/**
 * Where the customer pays an express payment by telebirr instead of on its page: in telebirr's app,
 * called by the merchant's own app or by the merchant's mini app (docs/decisions.md#67).
 */
export const APP_FORMS = ['IN_APP', 'MINI_APP'] as const;
export type AppForm = (typeof APP_FORMS)[number];

/** What the merchant's app hands to telebirr's: the first three or the last. All open one order only. */
export interface AppParameters {
  readonly appId: string | null;
  readonly shortCode: string | null;
  readonly receiveCode: string | null;
  readonly rawRequest: string | null;
}
