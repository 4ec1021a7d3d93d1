/**
 * All that the back office may ask of the payments plane: the functions that these modules export.
 * Each takes a `Plane` and then values that survive a structured clone, and returns such values. It
 * checks and enforces its own rules, because its caller may be an intruder (SECURITY.md).
 */
export const AREAS = {
  alerts: () => import('./alerts.ts'),
  audit: () => import('./audit.ts'),
  backups: () => import('./backups.ts'),
  events: () => import('./events.ts'),
  links: () => import('./links.ts'),
  lists: () => import('./lists.ts'),
  methods: () => import('./methods.ts'),
  notifications: () => import('./notifications.ts'),
  operator: () => import('./operator.ts'),
  payments: () => import('./payments.ts'),
  settings: () => import('./settings.ts'),
  till: () => import('./till.ts'),
  webhooks: () => import('./webhooks.ts'),
} as const;

export type Areas = {
  readonly [Name in keyof typeof AREAS]: Awaited<ReturnType<(typeof AREAS)[Name]>>;
};
