import { isoBase64URL, isoCBOR } from '@simplewebauthn/server/helpers';

/**
 * A passkey provider in software. It makes the same answers as a browser with a real one, so that
 * tests without a browser run the whole verification. ES256, no attestation, discoverable. Web
 * standards only: it works in workerd and in Node. `Faults` are the deviations that a test asks
 * for.
 */

/** The part of the options that the authenticator reads. */
export interface CreationOptions {
  readonly challenge: string;
  readonly rp: { readonly id?: string };
  readonly user: { readonly id: string };
}

export interface RequestOptions {
  readonly challenge: string;
  readonly rpId?: string;
}

export interface Faults {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly type?: string;
  /** False: no user verification by finger, face or PIN. */
  readonly isUserVerified?: boolean;
  readonly counter?: number;
  readonly userHandle?: string;
  /** Adds an attestation to a registration, although none was requested. */
  readonly attestation?: 'certificate' | 'self';
  /** Leaves out that a passkey may be backed up, although it is. */
  readonly isBackupIneligible?: boolean;
  /** Registers this algorithm (COSE) instead of ES256. */
  readonly algorithm?: number;
  /** Replaces a value of the registered key by its label (RFC 9052, section 7). */
  readonly keyValue?: readonly [label: number, value: number | Uint8Array];
  /** Registers this key (COSE) instead of its own. */
  readonly key?: ReadonlyMap<number, number | Uint8Array>;
  /** Signs with another key. */
  readonly isForged?: boolean;
}

type Cbor = Parameters<typeof isoCBOR.encode>[0];

const FLAG_USER_PRESENT = 0x01;
const FLAG_USER_VERIFIED = 0x04;
const FLAG_BACKUP_ELIGIBLE = 0x08;
const FLAG_BACKED_UP = 0x10;
const FLAG_CREDENTIAL = 0x40;

const CREDENTIAL_ID_BYTES = 32;
const AAGUID = new Uint8Array(16);

const ES256 = { name: 'ECDSA', namedCurve: 'P-256' };
const SIGNING = { name: 'ECDSA', hash: 'SHA-256' };

/** One passkey on one device, from its creation on. */
export class SoftwareAuthenticator {
  readonly #origin: string;
  readonly #keys: CryptoKeyPair;
  readonly #credentialId: Uint8Array<ArrayBuffer>;
  /** Counts signatures from 1; 0 for a device without a counter. */
  #counter: number;
  #userHandle = '';

  private constructor(origin: string, keys: CryptoKeyPair, counter: number) {
    this.#origin = origin;
    this.#keys = keys;
    this.#counter = counter;
    this.#credentialId = crypto.getRandomValues(new Uint8Array(CREDENTIAL_ID_BYTES));
  }

  /** A device on pages of `origin`. `counts`: whether it counts its signatures; most do not. */
  static async create(origin: string, counts = false): Promise<SoftwareAuthenticator> {
    const keys = await crypto.subtle.generateKey(ES256, true, ['sign', 'verify']);
    return new SoftwareAuthenticator(origin, keys as CryptoKeyPair, counts ? 1 : 0);
  }

  get credentialId(): string {
    return isoBase64URL.fromBuffer(this.#credentialId);
  }

  /** The result of `navigator.credentials.create`, as JSON. */
  async register(options: CreationOptions, faults: Faults = {}) {
    this.#userHandle = options.user.id;
    const clientData = this.#clientData('webauthn.create', options.challenge, faults);
    const head = await this.#head(options.rp.id, FLAG_CREDENTIAL, faults);
    const authData = join(
      head,
      AAGUID,
      bigEndian(this.#credentialId.length, 2),
      this.#credentialId,
      await this.#coseKey(faults),
    );
    const attestation = isoCBOR.encode(
      new Map<string, unknown>([
        ['fmt', faults.attestation ? 'packed' : 'none'],
        ['attStmt', await this.#statement(authData, clientData, faults)],
        ['authData', authData],
      ]) as Cbor,
    );
    return {
      ...this.#identity(),
      response: {
        clientDataJSON: isoBase64URL.fromBuffer(clientData),
        attestationObject: isoBase64URL.fromBuffer(attestation),
        transports: ['internal', 'hybrid'],
      },
    };
  }

  async #statement(
    authData: Uint8Array,
    clientData: Uint8Array<ArrayBuffer>,
    faults: Faults,
  ): Promise<ReadonlyMap<string, unknown>> {
    if (faults.attestation === undefined) {
      return new Map();
    }
    const isSelf = faults.attestation === 'self';
    const signature = isSelf
      ? await this.#signature(authData, clientData, faults)
      : new Uint8Array(8);
    return new Map<string, unknown>([
      ['alg', -7],
      ['sig', signature],
      ...(isSelf ? [] : [['x5c', [new Uint8Array(8)]] as const]),
    ]);
  }

  async #signature(
    authData: Uint8Array,
    clientData: Uint8Array<ArrayBuffer>,
    faults: Faults,
  ): Promise<Uint8Array<ArrayBuffer>> {
    const signed = join(authData, await sha256(clientData));
    const key = faults.isForged ? await otherKey() : this.#keys.privateKey;
    return derSignature(new Uint8Array(await crypto.subtle.sign(SIGNING, key, signed)));
  }

  /** The result of `navigator.credentials.get`, as JSON. */
  async sign(options: RequestOptions, faults: Faults = {}) {
    if (this.#counter > 0) {
      this.#counter += 1;
    }
    const clientData = this.#clientData('webauthn.get', options.challenge, faults);
    const authData = await this.#head(options.rpId, 0, faults);
    return {
      ...this.#identity(),
      response: {
        clientDataJSON: isoBase64URL.fromBuffer(clientData),
        authenticatorData: isoBase64URL.fromBuffer(authData),
        signature: isoBase64URL.fromBuffer(await this.#signature(authData, clientData, faults)),
        userHandle: faults.userHandle ?? this.#userHandle,
      },
    };
  }

  #identity() {
    const id = this.credentialId;
    return { id, rawId: id, type: 'public-key' as const, clientExtensionResults: {} };
  }

  #clientData(type: string, challenge: string, faults: Faults): Uint8Array<ArrayBuffer> {
    const data = {
      type: faults.type ?? type,
      challenge: faults.challenge ?? challenge,
      origin: faults.origin ?? this.#origin,
      crossOrigin: false,
    };
    return utf8(JSON.stringify(data));
  }

  /** Hash of the RP id, flags, counter: the start of all authenticator data. */
  async #head(
    rpId: string | undefined,
    flags: number,
    faults: Faults,
  ): Promise<Uint8Array<ArrayBuffer>> {
    const verified = faults.isUserVerified === false ? 0 : FLAG_USER_VERIFIED;
    const backup = (faults.isBackupIneligible ? 0 : FLAG_BACKUP_ELIGIBLE) | FLAG_BACKED_UP;
    return join(
      await sha256(utf8(faults.rpId ?? rpId ?? '')),
      Uint8Array.of(flags | FLAG_USER_PRESENT | verified | backup),
      bigEndian(faults.counter ?? this.#counter, 4),
    );
  }

  /** RFC 9053: key type EC2, algorithm ES256, curve P-256, then both coordinates. */
  async #coseKey({ algorithm = -7, keyValue, key }: Faults): Promise<Uint8Array<ArrayBuffer>> {
    if (key !== undefined) {
      return isoCBOR.encode(new Map(key));
    }
    const raw = await crypto.subtle.exportKey('raw', this.#keys.publicKey);
    const point = new Uint8Array(raw as ArrayBuffer);
    return isoCBOR.encode(
      new Map<number, number | Uint8Array>([
        [1, 2],
        [3, algorithm],
        [-1, 1],
        [-2, point.slice(1, 33)],
        [-3, point.slice(33)],
        ...(keyValue === undefined ? [] : [keyValue]),
      ]),
    );
  }
}

async function otherKey(): Promise<CryptoKey> {
  const keys = await crypto.subtle.generateKey(ES256, true, ['sign', 'verify']);
  return (keys as CryptoKeyPair).privateKey;
}

/** WebCrypto returns r and s side by side, authenticators a DER sequence of two integers. */
function derSignature(signature: Uint8Array): Uint8Array<ArrayBuffer> {
  const body = join(derInteger(signature.subarray(0, 32)), derInteger(signature.subarray(32)));
  return join(Uint8Array.of(0x30, body.length), body);
}

function derInteger(bytes: Uint8Array): Uint8Array {
  const first = bytes.findIndex((byte) => byte !== 0);
  const digits = bytes.subarray(first < 0 ? bytes.length - 1 : first);
  const isNegative = (digits[0] ?? 0) >= 0x80;
  const positive = isNegative ? join(Uint8Array.of(0), digits) : digits;
  return join(Uint8Array.of(0x02, positive.length), positive);
}

function bigEndian(value: number, lengthBytes: number): Uint8Array {
  return Uint8Array.from(
    { length: lengthBytes },
    (_, index) => (value >>> (8 * (lengthBytes - 1 - index))) & 0xff,
  );
}

function join(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(parts.flatMap((part) => [...part]));
}

function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new TextEncoder().encode(text));
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
}
