import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { decodeAttestationObject } from '@simplewebauthn/server/helpers';
import type { Config } from '../config.ts';
import { base64UrlFromBytes, bytesFromBase64Url } from '../crypto/encoding.ts';
import { CHALLENGE_MS, type Challenge, userHandleOf } from './challenge.ts';
import type { Assertion, Registration, Transport } from './credential.ts';

/**
 * What Kefel asks browsers for, and the verification of their answers. Passkeys only: the
 * authenticator keeps the key, finds it without a user name, and checks finger, face or PIN.
 */

/** COSE: EdDSA, ES256, RS256. Every authenticator has one of them, and workerd verifies all. */
const ALGORITHMS = [-8, -7, -257];

/** The site's name in authenticators' lists of passkeys. */
const SITE_NAME = 'Kefel';

/** What passkeys are bound to: they work on this host alone. */
export interface RelyingParty {
  /** The host name of the dashboard. */
  readonly id: string;
  /** The only origin whose pages may use them. */
  readonly origin: string;
}

export function relyingPartyOf(call: { readonly config: Config; readonly url: URL }): RelyingParty {
  const origin = call.config.publicBaseUrl ?? call.url.origin;
  return { id: new URL(origin).hostname, origin };
}

/** An existing passkey, for the browser to find or to exclude. */
export interface KnownPasskey {
  readonly id: string;
  readonly transports: readonly Transport[];
}

export interface NewPasskey {
  readonly credentialId: string;
  /** The COSE key, base64url. */
  readonly publicKey: string;
  readonly counter: number;
  readonly transports: readonly Transport[];
  readonly isBackedUp: boolean;
}

/** For `navigator.credentials.get`: any passkey of this host. */
export function assertionOptions(
  party: RelyingParty,
  challenge: Uint8Array<ArrayBuffer>,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  return generateAuthenticationOptions({
    rpID: party.id,
    challenge,
    userVerification: 'required',
    timeout: CHALLENGE_MS,
  });
}

export interface RegistrationRequest {
  readonly memberId: string;
  /** Shown in authenticators' lists of passkeys. */
  readonly memberName: string;
  readonly merchantName: string;
  /** The member's other passkeys: their authenticators must not create a second one. */
  readonly known: readonly KnownPasskey[];
}

/** For `navigator.credentials.create`. */
export function registrationOptions(
  party: RelyingParty,
  challenge: Uint8Array<ArrayBuffer>,
  request: RegistrationRequest,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { memberId, memberName, merchantName, known } = request;
  return generateRegistrationOptions({
    rpName: SITE_NAME,
    rpID: party.id,
    challenge,
    userID: userHandleOf(memberId),
    userName: `${memberName} (${merchantName})`,
    userDisplayName: memberName,
    attestationType: 'none',
    excludeCredentials: known.map(({ id, transports }) => ({ id, transports: [...transports] })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
    timeout: CHALLENGE_MS,
  });
}

/** The new passkey, or null when any check fails. */
export async function verifiedRegistration(
  party: RelyingParty,
  { challenge }: Challenge,
  { id, rawId, type, response }: Registration,
): Promise<NewPasskey | null> {
  try {
    if (hasCertificates(response.attestationObject)) {
      return null;
    }
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: { id, rawId, type, response: { ...response }, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!verified) {
      return null;
    }
    const { credential, credentialBackedUp } = registrationInfo;
    return {
      credentialId: credential.id,
      publicKey: base64UrlFromBytes(credential.publicKey),
      counter: credential.counter,
      transports: response.transports,
      isBackedUp: credentialBackedUp,
    };
  } catch {
    // The library throws on every unexpected answer.
    return null;
  }
}

/**
 * Kefel asks for no attestation. Certificates would make the library fetch the URLs that they name,
 * and no outsider may choose what Kefel fetches.
 */
function hasCertificates(attestationObject: string): boolean {
  const bytes = bytesFromBase64Url(attestationObject);
  if (bytes === null) {
    return true;
  }
  const attestation = decodeAttestationObject(bytes);
  const format = attestation.get('fmt');
  const isSelfMade = format === 'packed' && attestation.get('attStmt').get('x5c') === undefined;
  return format !== 'none' && !isSelfMade;
}

/** A passkey as stored after its last signature. */
export interface StoredPasskey {
  readonly credentialId: string;
  readonly publicKey: string;
  readonly counter: number;
}

export interface VerifiedAssertion {
  readonly counter: number;
  readonly isBackedUp: boolean;
}

/** The passkey after this signature, or null when anything is wrong, such as its counter. */
export async function verifiedAssertion(
  party: RelyingParty,
  { challenge }: Challenge,
  { id, rawId, type, response }: Assertion,
  passkey: StoredPasskey,
): Promise<VerifiedAssertion | null> {
  const publicKey = bytesFromBase64Url(passkey.publicKey);
  if (publicKey === null) {
    return null;
  }
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { id, rawId, type, response, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      credential: { id: passkey.credentialId, publicKey, counter: passkey.counter },
    });
    const { newCounter, credentialBackedUp } = authenticationInfo;
    return verified ? { counter: newCounter, isBackedUp: credentialBackedUp } : null;
  } catch {
    return null;
  }
}
