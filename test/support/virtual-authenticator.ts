import type { CDPSession, Page } from 'playwright-core';

/** A passkey provider inside Chromium that answers at once, without a touch. */
export interface VirtualAuthenticator {
  /** The number of stored passkeys. */
  readonly passkeys: () => Promise<number>;
  /** Whether the next user verification succeeds. */
  readonly setUserVerified: (isVerified: boolean) => Promise<void>;
  /** Copies the passkeys, as a passkey provider does to another device of the same person. */
  readonly copyTo: (other: VirtualAuthenticator) => Promise<void>;
  /** Replaces the passkeys. */
  readonly receive: (passkeys: readonly SyncedPasskey[]) => Promise<void>;
  /** Simulates a lost device: the page no longer has a passkey provider. */
  readonly remove: () => Promise<void>;
}

/** A passkey with its private key, as a provider syncs it to another device. */
type SyncedPasskey = Awaited<ReturnType<typeof credentialsOf>>[number];

/**
 * Gives the page a platform authenticator with resident keys and user verification. It belongs to
 * the page and ends with it, so signing in and out happens in one page.
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
    passkeys: async () => (await credentialsOf(client, authenticatorId)).length,
    setUserVerified: async (isUserVerified) => {
      await client.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
    },
    copyTo: async (other) => other.receive(await credentialsOf(client, authenticatorId)),
    receive: async (passkeys) => {
      await client.send('WebAuthn.clearCredentials', { authenticatorId });
      for (const credential of passkeys) {
        await client.send('WebAuthn.addCredential', { authenticatorId, credential });
      }
    },
    remove: async () => {
      await client.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId });
    },
  };
}

async function credentialsOf(client: CDPSession, authenticatorId: string) {
  const { credentials } = await client.send('WebAuthn.getCredentials', { authenticatorId });
  return credentials;
}
