import { userInfo } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import {
  defaultOperatorsFile,
  type OperatorsFile,
  readOperatorsFile,
} from '../deployment/operators-file.ts';
import { publishedMerchant } from '../dev/demo-merchant.ts';
import { personalSecret } from '../dev/local-secrets.ts';
import { DEFAULT_PORT } from '../dev/options.ts';
import { PROJECT_DIRECTORY, readIfPresent } from '../project/files.ts';
import { type ApiRequest, type Gateway, UsageError } from './command.ts';

const DEFAULT_URL = `http://localhost:${DEFAULT_PORT}`;
const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]'];
/** Republishing a page of payments calls about a hundred objects. */
const TIMEOUT_MS = 120_000;

/** The gateway rejected the request, was unreachable, or sent an unknown response. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  /** The status of a refusal; null where none was received. */
  readonly status: number | null;

  constructor(message: string, status: number | null = null) {
    super(message);
    this.status = status;
  }
}

/** What a command line says of the gateway. */
interface GatewayOptions {
  readonly url: string | undefined;
  readonly operatorName: string | undefined;
  /** A deployment that `npm run setup` made. */
  readonly deployment?: string | undefined;
}

/** Reads the environment. Throws UsageError on an invalid URL or a missing secret. */
export async function gatewayOf(
  options: GatewayOptions,
  environment: NodeJS.ProcessEnv,
): Promise<Gateway> {
  const deployment = options.deployment ?? environment.KEFEL_ENV;
  const operators = deployment === undefined ? null : await operatorsIn(deployment);
  const url = options.url ?? operators?.url ?? environment.KEFEL_URL ?? (await localUrl());
  const { origin, isLocal } = originOf(url);
  const name =
    options.operatorName ?? environment.KEFEL_OPERATOR ?? operators?.name ?? userInfo().username;
  const secret =
    environment.KEFEL_OPERATOR_SECRET ??
    (operators?.name === name ? operators.secret : undefined) ??
    (isLocal ? await localSecret(name) : undefined);
  if (!secret) {
    throw new UsageError(missingSecret(isLocal, operators, name));
  }
  return { origin, headers: operatorHeaders({ name, secret }, environment) };
}

/** What authenticates an operator, and this machine where Cloudflare Access guards the desk. */
export function operatorHeaders(
  { name, secret }: { readonly name: string; readonly secret: string },
  environment: NodeJS.ProcessEnv,
): Gateway['headers'] {
  const { CF_ACCESS_CLIENT_ID: clientId, CF_ACCESS_CLIENT_SECRET: clientSecret } = environment;
  return {
    authorization: `Bearer ${secret}`,
    'x-operator': encodeURIComponent(name),
    ...(clientId && clientSecret
      ? { 'cf-access-client-id': clientId, 'cf-access-client-secret': clientSecret }
      : {}),
  };
}

/** The address and the secret that `npm run setup` left on this machine. */
async function operatorsIn(deployment: string): Promise<OperatorsFile> {
  const file = defaultOperatorsFile(deployment);
  const operators = await readOperatorsFile(file);
  if (operators === null) {
    throw new UsageError(`there is no ${file}, which \`npm run setup\` writes`);
  }
  return operators;
}

function missingSecret(isLocal: boolean, operators: OperatorsFile | null, name: string): string {
  if (operators !== null) {
    return `this machine has the secret of ${operators.name}, and none of ${name}, who works on a machine of their own`;
  }
  return isLocal
    ? 'KEFEL_OPERATOR_SECRET is not set and .dev.vars does not exist: run "npm run dev" first'
    : 'KEFEL_OPERATOR_SECRET is not set (the secret is never a command-line option)';
}

/** Where `npm run dev` runs, or ran last. */
async function localUrl(): Promise<string> {
  return (await publishedMerchant())?.baseUrl ?? DEFAULT_URL;
}

function originOf(text: string): { readonly origin: string; readonly isLocal: boolean } {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`--url must be a URL such as https://pay.example.com, not "${text}"`);
  }
  const isLocal = LOCAL_HOSTS.includes(url.hostname);
  if (url.protocol === 'http:' && !isLocal) {
    throw new UsageError(`the secret would be sent unencrypted to ${url.origin}: use https`);
  }
  return { origin: url.origin, isLocal };
}

/** A secret that `npm run dev` created for this machine: that of the person, else the newest. */
async function localSecret(person: string): Promise<string | undefined> {
  const text = await readIfPresent(join(PROJECT_DIRECTORY, '.dev.vars'));
  const secrets = text === null ? '' : (parseEnv(text).OPERATOR_SECRETS ?? '');
  const [newest = ''] = secrets.split(',');
  // A secret that only one person has comes after that person's name.
  const secret = personalSecret(secrets, person) ?? newest.slice(newest.lastIndexOf(':') + 1);
  return secret.trim() || undefined;
}

/** The gateway decides about so many things in one request. */
const IDS_MAX = 50;

/** The same request for each fifty of its ids. */
export function inBatches(request: ApiRequest): readonly ApiRequest[] {
  const { path, body } = request;
  const ids = body?.ids;
  if (!Array.isArray(ids) || ids.length <= IDS_MAX) {
    return [request];
  }
  const starts = Array.from({ length: Math.ceil(ids.length / IDS_MAX) }, (_, n) => n * IDS_MAX);
  return starts.map((start) => ({
    path,
    body: { ...body, ids: ids.slice(start, start + IDS_MAX) },
  }));
}

/** Returns the content of the response. Throws GatewayError, with a message, on any failure. */
export async function send(gateway: Gateway, request: ApiRequest): Promise<unknown> {
  const response = await reach(gateway, request);
  if (response.status >= 300 && response.status < 400) {
    throw new GatewayError(
      'Cloudflare Access requires a sign-in: set CF_ACCESS_CLIENT_ID and CF_ACCESS_CLIENT_SECRET',
      response.status,
    );
  }
  const envelope = envelopeIn(await response.text());
  if (envelope === null) {
    throw new GatewayError(
      `${gateway.origin} responded with ${response.status} but no JSON: is it Kefel?`,
      response.status,
    );
  }
  if (!response.ok) {
    const fields = Object.entries(envelope.validationErrors ?? {});
    // Of one field, the message says the same.
    const isSame = ([field, text]: readonly [string, string]) =>
      `${field}: ${text}.`.toLowerCase().startsWith(envelope.message.toLowerCase());
    const lines = fields
      .filter((one) => !isSame(one))
      .map(([field, message]) => `  ${field}: ${message}`);
    const advice = envelope.code === 'not_found' ? [notFoundAdvice(gateway)] : [];
    const message = [`${response.status}: ${envelope.message}`, ...lines, ...advice].join('\n');
    throw new GatewayError(message, response.status);
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
    const advice = originOf(origin).isLocal
      ? '\nStart it with "npm run dev", or name another with --url.'
      : '';
    throw new GatewayError(`${origin} cannot be reached: ${reason}${advice}`);
  }
}

/** What a command names may be misspelled, in the other environment, or at another gateway. */
function notFoundAdvice({ origin }: Gateway): string {
  return `${origin} does not have what this command names. Check the environment (sandbox or production) and each id:
"merchant list" and "attention" show ids. For another gateway, add --env or --url.`;
}

interface Envelope {
  readonly code?: string;
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
