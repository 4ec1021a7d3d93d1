import type { Translated } from '../../src/engine/i18n/messages.ts';
import type * as dashboard from './en/dashboard.ts';
import type * as desk from './en/desk.ts';
import type * as home from './en/home.ts';
import type * as selfCheck from './en/self-check.ts';

/** Every text a member reads. */
export type DashboardMessages = Translated<typeof dashboard.dashboard>;

/** Every text the operator's staff read. */
export type DeskMessages = Translated<typeof desk.desk>;

/** Every text of the self-check. */
export type SelfCheckMessages = Translated<typeof selfCheck.selfCheck>;

/** Every text of the page at `/`. */
export type HomeMessages = Translated<typeof home.home>;
