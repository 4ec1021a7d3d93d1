import { describe, expect, test } from 'vitest';
import { ALPHA, addEndpoint, advance, DAY_MS, useGateway } from '../support.ts';
import { type Browser, joined, submitConfirmed } from './people-support.ts';
import { type SignedIn, signedIn, submit, visit } from './support.ts';

/**
 * Goal: a member learns of the access that another person gave with their session
 * (docs/decisions.md#42), and harmless changes need no passkey. Method: the forms, and the overview as
 * owners, the member and other members read it.
 */

useGateway();

const LIVE = '/dashboard/production/webhooks';
const ENDPOINT = `${LIVE}/endpoints/we_alpha`;
const KEYS = '/dashboard/production/keys';
const HOOK = 'https://hooks.example.com/kefel';
const EVIL = 'https://evil.example.com/kefel';

const SHOW = (secret: string) => `${LIVE}/secrets/${secret}/show`;

/** Two endpoints that a member has disabled. */
async function setUp(): Promise<void> {
  for (const id of ['we_alpha', 'we_other']) {
    await addEndpoint(ALPHA, id, { url: HOOK, isEnabled: false }, 'production');
  }
}

test.each<[string, string, Record<string, string>]>([
  [
    'a new description and header',
    ENDPOINT,
    { url: HOOK, description: 'Shop', signatureHeader: 'x-shop' },
  ],
  ['disabling', `${ENDPOINT}/disable`, {}],
  ['deleting', `${ENDPOINT}/delete`, {}],
])('%s needs no passkey', async (_name, path, fields) => {
  await setUp();
  const browser = await joined({ role: 'developer' });
  expect((await browser.submit(path, fields)).status).toBe(303);
});

describe('the notice of new access on the overview', () => {
  const OVERVIEW = '/dashboard/sandbox/overview';
  const TITLE = 'New access to your data in the last 14 days';
  const pageOf = async (member: SignedIn, language = 'en') =>
    (await visit(member, OVERVIEW, language)).text();

  test('informs owners, and the member who did it, until they dismiss it in their browser', async () => {
    await setUp();
    const [owner, developer] = [await joined(), await joined({ role: 'developer' })];
    const bystander = await signedIn('developer');
    await submitConfirmed(developer, `${LIVE}/endpoints`, { url: EVIL });
    await submitConfirmed(developer, SHOW(`${ALPHA.id}-production`));
    const readers = [await owner.member(), await developer.member()];
    for (const reader of readers) {
      const html = await pageOf(reader);
      expect(html).toContain(TITLE);
      expect(html).toContain('Webhook endpoint created');
      expect(html).toContain('https://evil.example.com');
      expect(html).toContain('Webhook secret viewed');
      expect(html).toContain('<bdi>Abebe</bdi>');
    }
    expect(await pageOf(bystander)).not.toContain(TITLE);
    expect(await pageOf(readers[0] as SignedIn, 'am')).toContain('ባለፉት 14 ቀናት');

    const cookie = await dismissed(developer);
    const seen = await call(developer, cookie);
    expect(seen).not.toContain(TITLE);
    // The thief's browser dismissed nothing for the member's own, nor for the owner.
    expect(await pageOf(await developer.member())).toContain(TITLE);
    expect(await call(owner, cookie)).toContain(TITLE);
    // What happens later is news again.
    advance(1);
    await submitConfirmed(developer, `${LIVE}/secrets`, { overlapHours: '0' });
    const later = await call(developer, cookie);
    expect(later).toContain('Webhook secret rotated');
    expect(later).not.toContain('Webhook endpoint created');
  });

  test('names new keys and members, not the sandbox’s, five at most and for 14 days', async () => {
    const owner = await joined();
    const member = await owner.member();
    expect(await pageOf(member)).not.toContain(TITLE);
    await submit(member, '/dashboard/sandbox/webhooks/secrets', { overlapHours: '24' });
    expect(await pageOf(member)).not.toContain(TITLE);
    await joined({ role: 'viewer' });
    expect(await pageOf(member)).toContain('Member joined');
    for (let keys = 0; keys < 5; keys += 1) {
      const form = /name="form" value="([^"]+)"/.exec(
        await (await visit(member, KEYS)).text(),
      )?.[1];
      await submitConfirmed(owner, KEYS, { name: `Key ${keys}`, form: form ?? '' });
    }
    const html = await pageOf(member);
    expect(html.match(/API key created/g)).toHaveLength(5);
    expect(html).not.toContain('Member joined');
    expect(html).toContain('Older changes are in the audit log.');
    advance(14 * DAY_MS);
    expect(await pageOf(await signedIn())).not.toContain(TITLE);
  });

  /** The cookie that the form on the page sets. */
  async function dismissed(browser: Browser): Promise<string> {
    const html = await pageOf(await browser.member());
    const time = /name="time" value="(\d+)"/.exec(html)?.[1] ?? '';
    const answer = await browser.submit(`${OVERVIEW}/access-seen`, { time });
    expect(answer.headers.get('location')).toBe(OVERVIEW);
    return answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  }

  async function call(browser: Browser, cookie: string): Promise<string> {
    const member = await browser.member();
    return pageOf({ ...member, cookie: `${member.cookie}; ${cookie}` });
  }
});
