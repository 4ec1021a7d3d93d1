import type { Areas } from '../areas.ts';
import { ALERTS } from './alerts.ts';
import { AUDIT } from './audit.ts';
import { BACKUPS } from './backups.ts';
import { EVENTS } from './events.ts';
import type { AreaArguments } from './fields.ts';
import { LINKS } from './links.ts';
import { LISTS } from './lists.ts';
import { METHODS } from './methods.ts';
import { NOTIFICATIONS } from './notifications.ts';
import { OPERATOR } from './operator.ts';
import { PAYMENTS } from './payments.ts';
import { SETTINGS } from './settings.ts';
import { TILL } from './till.ts';
import { WEBHOOKS } from './webhooks.ts';

/** What each function of `AREAS` takes. The interface has the functions that are named here. */
export const ARGUMENTS: { readonly [Name in keyof Areas]: AreaArguments<Name> } = {
  alerts: ALERTS,
  audit: AUDIT,
  backups: BACKUPS,
  events: EVENTS,
  links: LINKS,
  lists: LISTS,
  methods: METHODS,
  notifications: NOTIFICATIONS,
  operator: OPERATOR,
  payments: PAYMENTS,
  settings: SETTINGS,
  till: TILL,
  webhooks: WEBHOOKS,
};
