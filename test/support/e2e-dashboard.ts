import type { Locator, Page } from 'playwright-core';
import { dashboard as english } from '../../back-office/i18n/en/dashboard.ts';
import { confirmQuestions } from './browser.ts';
import { heading } from './e2e-customer.ts';
import { eventually } from './e2e-scene.ts';
import { documentsOf } from './page-checks.ts';
import { addVirtualAuthenticator, type VirtualAuthenticator } from './virtual-authenticator.ts';

/** A member's actions on the dashboard, in a real browser with a passkey provider. */

/**
 * After a passkey has signed in or confirmed, the page leaves without reading the whole answer, which no member
 * sees.
 */
export const CUT_OFF_ANSWER =
  /^failed: .*\/(?:dashboard\/(?:sign-in|join)|refund|account\/passkeys)$/;

/** Gives the page a passkey provider, and confirms every question. */
export async function equip(page: Page): Promise<VirtualAuthenticator> {
  await confirmQuestions(page);
  return addVirtualAuthenticator(page);
}

/** Opens an invitation and joins with it; `first` is the heading of the member's first page. */
export async function join(
  page: Page,
  link: string,
  merchantName: string,
  first = 'Overview',
): Promise<void> {
  await page.goto(link);
  await heading(page, `Join ${merchantName}`);
  await page.getByRole('button', { name: 'Create a passkey', exact: true }).click();
  await heading(page, first);
}

/** Signs in on the sign-in page; `next` is the heading of the requested page. */
export async function signIn(page: Page, next: string): Promise<void> {
  await heading(page, 'Sign in');
  await page.getByRole('button', { name: 'Sign in with a passkey', exact: true }).click();
  await heading(page, next);
}

/** Refunds a part of a payment from its page, or all that is left; ends on that page. */
export async function refund(page: Page, amount: string | null, reason: string): Promise<void> {
  await page.getByRole('link', { name: english.refunds.refund, exact: true }).click();
  if (amount !== null) {
    await page.getByLabel(english.refunds.amount).fill(amount);
  }
  await page.getByLabel(english.refunds.reason, { exact: true }).fill(reason);
  await pressButton(page, english.refunds.confirm);
  await page.getByText(english.refunds.done.refund_requested).waitFor();
}

/** By the links of every page. The heading is `title`. */
export async function goTo(page: Page, part: string, title: string = part): Promise<void> {
  const { developerParts, more, nav } = english.frame;
  if (Object.values<string>(developerParts).includes(part)) {
    await openPart(page, nav.developers, more);
    await heading(page, developerParts.keys);
    const parts = page.getByRole('navigation', { name: nav.developers, exact: true });
    await parts.getByRole('link', { name: part, exact: true }).click();
  } else {
    await openPart(page, part, more);
  }
  await heading(page, title);
}

/** On a phone, some are behind *More*. */
async function openPart(page: Page, part: string, more: string): Promise<void> {
  const navigation = page.getByRole('navigation', { name: 'Dashboard', exact: true });
  const link = navigation.getByRole('link', { name: part, exact: true });
  if ((await link.count()) === 0) {
    await navigation.getByText(more, { exact: true }).click();
  }
  await link.click();
}

export function pressButton(page: Page, name: string | RegExp): Promise<void> {
  return page.getByRole('button', { name, exact: true }).click();
}

/** Reloads the page until it shows the text. */
export async function untilShown(page: Page, url: string, text: string): Promise<void> {
  await eventually(
    async () => {
      await page.goto(url);
      return page.locator('main').textContent();
    },
    (shown) => shown?.includes(text) === true,
  );
}

/** A job that a member does, with what it costs: taps, and documents that the browser fetches. */
export class Walk {
  taps = 0;
  readonly documents: readonly string[];

  constructor(page: Page) {
    this.documents = documentsOf(page);
  }

  async tap(target: Locator): Promise<void> {
    this.taps += 1;
    await target.tap();
  }

  /** Types into a field and sends it by the key of the phone's keyboard. */
  async send(field: Locator, text: string): Promise<void> {
    await this.tap(field);
    await field.fill(text);
    this.taps += 1;
    await field.press('Enter');
  }
}

/** The links and buttons of a page, by their accessible names. */
export function controls(page: Page): Promise<readonly string[]> {
  return page
    .locator('main')
    .locator('a, button')
    .evaluateAll((all) =>
      all.map((element) => element.getAttribute('aria-label') ?? element.textContent.trim()),
    );
}
