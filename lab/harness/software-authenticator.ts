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
  /** Signs with another key. */
  readonly isForged?: boolean;
}

export interface RegistrationAnswer {
  readonly id: string;
  readonly rawId: string;
  readonly type: 'public-key';
  readonly clientExtensionResults: Record<string, never>;
  readonly response: {
    readonly clientDataJSON: string;
    readonly attestationObject: string;
    readonly transports: readonly string[];
  };
}

export interface AssertionAnswer {
  readonly id: string;
  readonly rawId: string;
  readonly type: 'public-key';
  readonly clientExtensionResults: Record<string, never>;
  readonly response: {
    readonly clientDataJSON: string;
    readonly authenticatorData: string;
    readonly signature: string;
    readonly userHandle: string;
  };
}

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
  readonly #credentialId: Uint8Array;
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
    return base64Url(this.#credentialId);
  }

  /** The result of `navigator.credentials.create`, as JSON. */
  async register(options: CreationOptions, faults: Faults = {}): Promise<RegistrationAnswer> {
    this.#userHandle = options.user.id;
    const clientData = this.#clientData('webauthn.create', options.challenge, faults);
    const head = await this.#head(options.rp.id, FLAG_CREDENTIAL, faults);
    const authData = join(
      head,
      AAGUID,
      bigEndian(this.#credentialId.length, 2),
      this.#credentialId,
      await this.#coseKey(faults.algorithm),
    );
    const statement = await this.#statement(authData, clientData, faults);
    const attestation = cborMap([
      [cborText('fmt'), cborText(faults.attestation ? 'packed' : 'none')],
      [cborText('attStmt'), statement],
      [cborText('authData'), cborBytes(authData)],
    ]);
    return {
      ...this.#identity(),
      response: {
        clientDataJSON: base64Url(clientData),
        attestationObject: base64Url(attestation),
        transports: ['internal', 'hybrid'],
      },
    };
  }

  async #statement(
    authData: Uint8Array,
    clientData: Uint8Array<ArrayBuffer>,
    faults: Faults,
  ): Promise<Uint8Array> {
    if (faults.attestation === undefined) {
      return cborMap([]);
    }
    const isSelf = faults.attestation === 'self';
    const signature = isSelf
      ? await this.#signature(authData, clientData, faults)
      : new Uint8Array(8);
    const certificates = [cborText('x5c'), cborList([cborBytes(new Uint8Array(8))])] as const;
    return cborMap([
      [cborText('alg'), cborInteger(-7)],
      [cborText('sig'), cborBytes(signature)],
      ...(isSelf ? [] : [certificates]),
    ]);
  }

  async #signature(
    authData: Uint8Array,
    clientData: Uint8Array<ArrayBuffer>,
    faults: Faults,
  ): Promise<Uint8Array> {
    const signed = join(authData, await sha256(clientData));
    const key = faults.isForged ? await otherKey() : this.#keys.privateKey;
    return derSignature(new Uint8Array(await crypto.subtle.sign(SIGNING, key, signed)));
  }

  /** The result of `navigator.credentials.get`, as JSON. */
  async sign(options: RequestOptions, faults: Faults = {}): Promise<AssertionAnswer> {
    if (this.#counter > 0) {
      this.#counter += 1;
    }
    const clientData = this.#clientData('webauthn.get', options.challenge, faults);
    const authData = await this.#head(options.rpId, 0, faults);
    return {
      ...this.#identity(),
      response: {
        clientDataJSON: base64Url(clientData),
        authenticatorData: base64Url(authData),
        signature: base64Url(await this.#signature(authData, clientData, faults)),
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
  async #head(rpId: string | undefined, flags: number, faults: Faults): Promise<Uint8Array> {
    const verified = faults.isUserVerified === false ? 0 : FLAG_USER_VERIFIED;
    const backup = (faults.isBackupIneligible ? 0 : FLAG_BACKUP_ELIGIBLE) | FLAG_BACKED_UP;
    return join(
      await sha256(utf8(faults.rpId ?? rpId ?? '')),
      Uint8Array.of(flags | FLAG_USER_PRESENT | verified | backup),
      bigEndian(faults.counter ?? this.#counter, 4),
    );
  }

  /** RFC 9053: key type EC2, algorithm ES256, curve P-256, then both coordinates. */
  async #coseKey(algorithm = -7): Promise<Uint8Array> {
    const raw = await crypto.subtle.exportKey('raw', this.#keys.publicKey);
    const point = new Uint8Array(raw as ArrayBuffer);
    return cborMap([
      [cborInteger(1), cborInteger(2)],
      [cborInteger(3), cborInteger(algorithm)],
      [cborInteger(-1), cborInteger(1)],
      [cborInteger(-2), cborBytes(point.subarray(1, 33))],
      [cborInteger(-3), cborBytes(point.subarray(33))],
    ]);
  }
}

async function otherKey(): Promise<CryptoKey> {
  const keys = await crypto.subtle.generateKey(ES256, true, ['sign', 'verify']);
  return (keys as CryptoKeyPair).privateKey;
}

/** WebCrypto returns r and s side by side, authenticators a DER sequence of two integers. */
function derSignature(signature: Uint8Array): Uint8Array {
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

function cborMap(entries: readonly (readonly [Uint8Array, Uint8Array])[]): Uint8Array {
  return join(cborHead(5, entries.length), ...entries.flat());
}

function cborList(items: readonly Uint8Array[]): Uint8Array {
  return join(cborHead(4, items.length), ...items);
}

function cborText(text: string): Uint8Array {
  const bytes = utf8(text);
  return join(cborHead(3, bytes.length), bytes);
}

function cborBytes(bytes: Uint8Array): Uint8Array {
  return join(cborHead(2, bytes.length), bytes);
}

function cborInteger(value: number): Uint8Array {
  return value >= 0 ? cborHead(0, value) : cborHead(1, -1 - value);
}

function cborHead(major: number, value: number): Uint8Array {
  if (value < 24) {
    return Uint8Array.of((major << 5) | value);
  }
  return value < 256
    ? Uint8Array.of((major << 5) | 24, value)
    : join(Uint8Array.of((major << 5) | 25), bigEndian(value, 2));
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

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
