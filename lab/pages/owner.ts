import type { Page } from 'playwright-core';
import type { DemoMerchant } from '../../scripts/dev/demo-merchant.ts';
import { operate } from '../harness/operator.ts';

/**
 * Invites an owner of the demo merchant, who joins with a passkey from the browser's virtual
 * authenticator. The page shows the overview then.
 */
export async function joinAsOwner(
  page: Page,
  { baseUrl, merchantId }: DemoMerchant,
): Promise<void> {
  const path = `merchants/${merchantId}/invitations`;
  const invited = { name: 'Demo Owner', role: 'owner' };
  const { url } = await operate<{ url: string }>(baseUrl, path, invited);
  const client = await page.context().newCDPSession(page);
  await client.send('WebAuthn.enable');
  await client.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await page.goto(url);
  await page.locator('form[data-passkey] button[type=submit]').click();
  await page.waitForURL('**/overview');
}
