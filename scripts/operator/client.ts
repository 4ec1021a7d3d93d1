import { userInfo } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { PROJECT_DIRECTORY, readIfPresent } from '../project/files.ts';
import { type ApiRequest, UsageError } from './command.ts';

const DEFAULT_URL = 'http://localhost:8787';
const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]'];
/** A page of the read model asks some hundred objects. */
const TIMEOUT_MS = 120_000;

/** The gateway has refused, cannot be reached, or answers what we do not understand. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
}

/** Where the API is and how it lets in. */
export interface Gateway {
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Reads the environment. Throws UsageError on an address or a secret that cannot be. */
export async function gatewayOf(
  options: { readonly url: string | undefined; readonly operatorName: string | undefined },
  environment: NodeJS.ProcessEnv,
): Promise<Gateway> {
  const { origin, isLocal } = originOf(options.url ?? environment.KEFEL_URL ?? DEFAULT_URL);
  const secret = environment.KEFEL_OPERATOR_SECRET ?? (isLocal ? await localSecret() : undefined);
  if (!secret) {
    throw new UsageError(
      isLocal
        ? 'KEFEL_OPERATOR_SECRET is not set, and there is no .dev.vars yet: start "npm run dev" first'
        : 'KEFEL_OPERATOR_SECRET is not set: the secret is never an option of the command line',
    );
  }
  const { CF_ACCESS_CLIENT_ID: clientId, CF_ACCESS_CLIENT_SECRET: clientSecret } = environment;
  const name = options.operatorName ?? environment.KEFEL_OPERATOR ?? userInfo().username;
  return {
    origin,
    headers: {
      authorization: `Bearer ${secret}`,
      'x-operator': encodeURIComponent(name),
      ...(clientId && clientSecret
        ? { 'cf-access-client-id': clientId, 'cf-access-client-secret': clientSecret }
        : {}),
    },
  };
}

function originOf(text: string): { readonly origin: string; readonly isLocal: boolean } {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`--url takes an address such as https://pay.example.com, not "${text}"`);
  }
  const isLocal = LOCAL_HOSTS.includes(url.hostname);
  if (url.protocol === 'http:' && !isLocal) {
    throw new UsageError(`${url.origin} would get the secret in clear: use https`);
  }
  return { origin: url.origin, isLocal };
}

/** What `npm run dev` has made for this machine: the newest. */
async function localSecret(): Promise<string | undefined> {
  const text = await readIfPresent(join(PROJECT_DIRECTORY, '.dev.vars'));
  return text === null ? undefined : parseEnv(text).OPERATOR_SECRETS?.split(',')[0]?.trim();
}

/** The content of the answer. Throws GatewayError, in words, for any other than success. */
export async function send(gateway: Gateway, request: ApiRequest): Promise<unknown> {
  const response = await reach(gateway, request);
  if (response.status >= 300 && response.status < 400) {
    throw new GatewayError(
      'Cloudflare Access asks for a sign-in: set CF_ACCESS_CLIENT_ID and CF_ACCESS_CLIENT_SECRET',
    );
  }
  const envelope = envelopeIn(await response.text());
  if (envelope === null) {
    throw new GatewayError(
      `${gateway.origin} answered ${response.status} and no JSON: is it Kefel?`,
    );
  }
  if (!response.ok) {
    const fields = Object.entries(envelope.validationErrors ?? {});
    const lines = fields.map(([field, message]) => `  ${field}: ${message}`);
    throw new GatewayError([`${response.status}: ${envelope.message}`, ...lines].join('\n'));
  }
  return envelope.content;
}

async function reach({ origin, headers }: Gateway, { path, body }: ApiRequest): Promise<Response> {
  try {
    return await fetch(`${origin}/operator/v1${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new GatewayError(`${origin} cannot be reached: ${reason}`);
  }
}

interface Envelope {
  readonly message: string;
  readonly content: unknown;
  readonly validationErrors?: Readonly<Record<string, string>>;
}

function envelopeIn(text: string): Envelope | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'message' in value
      ? (value as Envelope)
      : null;
  } catch {
    return null;
  }
}
