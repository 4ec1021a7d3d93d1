import * as v from 'valibot';
import { readBytes } from '../../src/kit/http/read-bytes.ts';

/** What browsers send for a passkey: its shape. `verification.ts` checks its content. */

/** Twice an RSA key with the longest id, and names; no real answer is larger. */
const BODY_BYTES_MAX = 16 * 1024;

/** WebAuthn: an id has at most 1,023 bytes. */
const CREDENTIAL_ID_LENGTH_MAX = 1_364;

const base64Url = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]+$/));
const credentialId = v.pipe(base64Url, v.maxLength(CREDENTIAL_ID_LENGTH_MAX));

/** How a browser may reach an authenticator; unknown words are dropped. */
const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const;
export type Transport = (typeof TRANSPORTS)[number];

const Assertion = v.object({
  id: credentialId,
  rawId: credentialId,
  type: v.literal('public-key'),
  response: v.object({
    authenticatorData: base64Url,
    clientDataJSON: base64Url,
    signature: base64Url,
    /** Authenticators may omit it when they were asked for certain passkeys. */
    userHandle: v.nullish(v.union([base64Url, v.literal('')]), ''),
  }),
});
export type Assertion = v.InferOutput<typeof Assertion>;

const Registration = v.object({
  id: credentialId,
  rawId: credentialId,
  type: v.literal('public-key'),
  response: v.object({
    attestationObject: base64Url,
    clientDataJSON: base64Url,
    transports: v.pipe(
      v.optional(v.array(v.string()), []),
      v.transform((sent) => TRANSPORTS.filter((transport) => sent.includes(transport))),
    ),
  }),
});
export type Registration = v.InferOutput<typeof Registration>;

/** POST /dashboard/sign-in */
export const SignInBody = v.object({ credential: Assertion });
/** POST /dashboard/join/options; a recovery link ignores the name. */
export const JoinOptionsBody = v.object({ token: v.string(), name: v.string() });
/** POST /dashboard/join */
export const JoinBody = v.object({
  token: v.string(),
  name: v.string(),
  passkey: v.string(),
  credential: Registration,
});

/** The JSON body of a request from our own script, or null when it does not fit `schema`. */
export async function readJson<Schema extends v.GenericSchema>(
  request: Request,
  schema: Schema,
): Promise<v.InferOutput<Schema> | null> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  const bytes = type === 'application/json' ? await readBytes(request, BODY_BYTES_MAX) : null;
  return bytes === null ? null : parsed(new TextDecoder().decode(bytes), schema);
}

/** The new passkey in a form field, or null when it is malformed. */
export function registrationIn(text: string): Registration | null {
  return text.length > BODY_BYTES_MAX ? null : parsed(text, Registration);
}

/** The passkey's signature in a form field, or null when it is malformed. */
export function assertionIn(text: string): Assertion | null {
  return text.length > BODY_BYTES_MAX ? null : parsed(text, Assertion);
}

function parsed<Schema extends v.GenericSchema>(
  text: string,
  schema: Schema,
): v.InferOutput<Schema> | null {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return null;
  }
  const result = v.safeParse(schema, json);
  return result.success ? result.output : null;
}
