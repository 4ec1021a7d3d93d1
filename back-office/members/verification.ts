import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  verifyAuthenticationResponse,
} from '@simplewebauthn/server';
import {
  type AttestationObject,
  cose,
  decodeAttestationObject,
  decodeClientDataJSON,
  decodeCredentialPublicKey,
  isoBase64URL,
  isoUint8Array,
  parseAuthenticatorData,
  toHash,
  verifySignature,
} from '@simplewebauthn/server/helpers';
import { bytesFromBase64Url } from '../../src/kit/crypto/encoding.ts';
import type { BackOfficeConfig } from '../config.ts';
import { CHALLENGE_MS, type Challenge, userHandleOf } from './challenge.ts';
import type { Assertion, Registration, Transport } from './credential.ts';

/**
 * What Kefel asks browsers for, and the verification of their answers. Passkeys only: the
 * authenticator keeps the key, finds it without a user name, and checks finger, face or PIN.
 */

/** COSE: EdDSA, ES256, RS256. Every authenticator has one of them, and workerd verifies all. */
const ALGORITHMS = [-8, -7, -257];
/** The type of key that each algorithm has: OKP, EC2, RSA (RFC 9053, section 7). */
const KEY_TYPES: ReadonlyMap<number | undefined, number> = new Map([
  [-8, 1],
  [-7, 2],
  [-257, 3],
]);
/** A well-formed signature that no key makes: DER of the integers 1 and 1. */
const NO_SIGNATURE = Uint8Array.of(0x30, 6, 2, 1, 1, 2, 1, 1);
/** The same of EdDSA: workerd throws for another length than 64 bytes. */
const NO_EDDSA_SIGNATURE = new Uint8Array(64);

/** The site's name in authenticators' lists of passkeys. */
const SITE_NAME = 'Kefel';

/** What passkeys are bound to: they work on this host alone. */
export interface RelyingParty {
  /** The host name of the dashboard. */
  readonly id: string;
  /** The only origin whose pages may use them. */
  readonly origin: string;
}

export function relyingPartyOf(call: {
  readonly config: BackOfficeConfig;
  readonly url: URL;
}): RelyingParty {
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

/** For `navigator.credentials.get`: one of the known passkeys, or without any, one of this host. */
export function assertionOptions(
  party: RelyingParty,
  challenge: Uint8Array<ArrayBuffer>,
  known: readonly KnownPasskey[] = [],
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  return generateAuthenticationOptions({
    rpID: party.id,
    challenge,
    allowCredentials: known.map(({ id, transports }) => ({ id, transports: [...transports] })),
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

/**
 * The new passkey, or null when any check fails (WebAuthn, 7.1). The library's functions decode and
 * verify; its own verification of registrations would bring the code and the root certificates of
 * every authenticator maker, which Kefel, asking for no attestation, never uses.
 */
export async function verifiedRegistration(
  party: RelyingParty,
  { challenge }: Challenge,
  { id, rawId, type, response }: Registration,
): Promise<NewPasskey | null> {
  try {
    const client = decodeClientDataJSON(response.clientDataJSON);
    const attestation = decodeAttestationObject(isoBase64URL.toBuffer(response.attestationObject));
    const data = parseAuthenticatorData(attestation.get('authData'));
    const { flags, counter, credentialID: credentialId, credentialPublicKey: publicKey } = data;
    if (
      id !== rawId ||
      type !== 'public-key' ||
      client.type !== 'webauthn.create' ||
      client.challenge !== challenge ||
      client.origin !== party.origin ||
      !(await isHashOf(party.id, data.rpIdHash)) ||
      !flags.up ||
      !flags.uv ||
      // A passkey that cannot be backed up is not backed up.
      (flags.bs && !flags.be) ||
      credentialId === undefined ||
      isoBase64URL.fromBuffer(credentialId) !== id ||
      publicKey === undefined ||
      !(await isUsable(publicKey)) ||
      !(await isSelfMade(attestation, publicKey, response.clientDataJSON))
    ) {
      return null;
    }
    return {
      credentialId: id,
      publicKey: isoBase64URL.fromBuffer(publicKey),
      counter,
      transports: response.transports,
      isBackedUp: flags.bs,
    };
  } catch {
    // The library throws on every unexpected answer.
    return null;
  }
}

async function isHashOf(text: string, hash: Uint8Array<ArrayBuffer>): Promise<boolean> {
  return isoUint8Array.areEqual(await toHash(text), hash);
}

/**
 * Whether a sign-in could verify with the key. Else the passkey would use up its invitation, and
 * its member could never sign in. Throws for a key that cannot be imported.
 */
async function isUsable(publicKey: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const type = decodeCredentialPublicKey(publicKey).get(cose.COSEKEYS.kty);
  if (type === undefined || KEY_TYPES.get(algorithmOf(publicKey)) !== type) {
    return false;
  }
  await verifySignature({
    signature: type === cose.COSEKTY.OKP ? NO_EDDSA_SIGNATURE : NO_SIGNATURE,
    data: new Uint8Array(0),
    credentialPublicKey: publicKey,
  });
  return true;
}

function algorithmOf(publicKey: Uint8Array<ArrayBuffer>): number | undefined {
  return decodeCredentialPublicKey(publicKey).get(cose.COSEKEYS.alg);
}

/**
 * Whether the attestation has no certificate: an empty one, or one signed with the new key itself,
 * which some browsers pass on although Kefel asks for none (WebAuthn, 8.2 and 8.7).
 */
async function isSelfMade(
  attestation: AttestationObject,
  publicKey: Uint8Array<ArrayBuffer>,
  clientDataJson: string,
): Promise<boolean> {
  const statement = attestation.get('attStmt');
  if (attestation.get('fmt') === 'none') {
    return statement.size === 0;
  }
  const signature = statement.get('sig');
  if (
    attestation.get('fmt') !== 'packed' ||
    statement.get('x5c') !== undefined ||
    signature === undefined ||
    statement.get('alg') !== algorithmOf(publicKey)
  ) {
    return false;
  }
  const clientDataHash = await toHash(isoBase64URL.toBuffer(clientDataJson));
  const data = isoUint8Array.concat([attestation.get('authData'), clientDataHash]);
  return verifySignature({ signature, data, credentialPublicKey: publicKey });
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
