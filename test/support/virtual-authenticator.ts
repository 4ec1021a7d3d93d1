import type { Page } from 'playwright-core';

/** A passkey provider inside Chromium, which answers at once as if somebody touched it. */
export interface VirtualAuthenticator {
  /** The number of passkeys that it keeps. */
  readonly passkeys: () => Promise<number>;
  /** Whether the next finger, face or PIN is the right one. */
  readonly setUserVerified: (isVerified: boolean) => Promise<void>;
  /** As if the device was lost: the page has no passkey provider any more. */
  readonly remove: () => Promise<void>;
}

/**
 * Gives the page a platform authenticator with resident keys and user verification. It belongs to
 * the page and lives as long: signing in and out happens in one page.
 */
export async function addVirtualAuthenticator(page: Page): Promise<VirtualAuthenticator> {
  const client = await page.context().newCDPSession(page);
  await client.send('WebAuthn.enable');
  const { authenticatorId } = await client.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    passkeys: async () => {
      const { credentials } = await client.send('WebAuthn.getCredentials', { authenticatorId });
      return credentials.length;
    },
    setUserVerified: async (isUserVerified) => {
      await client.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
    },
    remove: async () => {
      await client.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId });
    },
  };
}
