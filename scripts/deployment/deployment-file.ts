import { mkdir, readdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import * as v from 'valibot';
import { isOperatorName } from '../../src/engine/domain/operator-name.ts';
import { isNetworkName, NETWORK_NAME_MESSAGE } from '../../src/engine/rails/network-name.ts';
import { PROJECT_DIRECTORY, readIfPresent, writeWhole } from '../project/files.ts';
import { checkDeploymentName } from './names.ts';
import { newerCommitOf, olderCode } from './newest-file.ts';

/**
 * `deployments/<name>.json`: what `npm run setup` made, and from which both Workers' configurations are
 * rendered. It contains no secret in plain text, so an operator can commit it to a repository.
 */

export const DEPLOYMENTS_DIRECTORY = join(PROJECT_DIRECTORY, 'deployments');

/** Where Cloudflare keeps all data; empty: anywhere. Its others serve the United States alone. */
export const JURISDICTIONS = ['', 'eu'] as const;
/** Where objects are made; empty: near the first request. */
export const LOCATION_HINTS = [
  '',
  ...['afr', 'apac', 'eeur', 'enam', 'me', 'oc', 'sam', 'weur', 'wnam'],
] as const;

/** The rings that are derived from the recovery key. */
export const DERIVED_RINGS = [
  'LINK_SIGNING_KEYS',
  'DATA_ENCRYPTION_KEYS',
  'BACKUP_KEYS',
  'BACK_OFFICE_KEYS',
] as const;
/** The rings whose keys are generated, and sealed under the recovery key. */
export const SEALED_RINGS = [
  'WEBHOOK_RSA_PRIVATE_KEYS_SANDBOX',
  'WEBHOOK_RSA_PRIVATE_KEYS_PRODUCTION',
] as const;

const keyId = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9]{1,16}$/, 'must be 1 to 16 letters and digits'),
);
const origin = v.pipe(
  v.string(),
  v.check(isHttpsOrigin, 'must be an address such as https://pay.example.com'),
);
const variables = v.record(v.string(), v.string());
const networkName = v.pipe(
  v.string(),
  v.check((name) => isNetworkName(name), NETWORK_NAME_MESSAGE),
);
const serviceId = v.pipe(v.string(), v.uuid("must be a VPC service's id, a UUID"));
const sealedKey = v.strictObject({ keyId, sealed: v.string() });
const sealedRing = v.array(sealedKey);
/** A key of an earlier recovery key cannot be derived, so it is sealed under the new one. */
const derivedRing = v.array(v.union([keyId, sealedKey]));

const SCHEMA = v.strictObject({
  /** The account in Cloudflare that owns it. */
  account: v.strictObject({
    id: v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/, 'must be 32 hexadecimal digits')),
    name: v.string(),
  }),
  /** Names the recovery key without revealing it. */
  recoveryKey: v.pipe(v.string(), v.regex(/^[0-9a-f]{16}$/, 'must be 16 hexadecimal digits')),
  /** The public addresses of the two Workers. One host for both if they are equal. */
  addresses: v.strictObject({ payments: origin, backOffice: origin }),
  /** The zone in Cloudflare of each address's host; null: the addresses are those of workers.dev. */
  zones: v.nullable(v.strictObject({ payments: v.string(), backOffice: v.string() })),
  jurisdiction: v.picklist(JURISDICTIONS),
  locationHint: v.picklist(LOCATION_HINTS),
  /** Whether backups are written to a bucket. */
  hasBackups: v.boolean(),
  /** In place of those in the two wrangler.toml. */
  variables: v.strictObject({ payments: variables, backOffice: variables }),
  /**
   * Bindings of the payments Worker that lead into providers' private networks, with the id of each VPC
   * service at Cloudflare. Absent in files of older versions, which know no such field.
   */
  vpcServices: v.optional(v.record(networkName, serviceId)),
  /** The keys of each ring, newest first. */
  keys: v.strictObject({
    LINK_SIGNING_KEYS: derivedRing,
    DATA_ENCRYPTION_KEYS: derivedRing,
    BACKUP_KEYS: derivedRing,
    BACK_OFFICE_KEYS: derivedRing,
    WEBHOOK_RSA_PRIVATE_KEYS_SANDBOX: sealedRing,
    WEBHOOK_RSA_PRIVATE_KEYS_PRODUCTION: sealedRing,
  }),
  /** Each person has a secret; a person whose secret is rotated has two for a while. */
  operators: v.array(
    v.strictObject({
      name: v.pipe(v.string(), v.check(isPlainOperatorName, 'must be a name without , or :')),
      keyId,
      /** Of the secret, which only its owner has. */
      sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits')),
    }),
  ),
  /** For each secret, what `secretVersions` says of the value that Cloudflare has. */
  uploaded: v.record(v.string(), v.string()),
  /** For each ring that Cloudflare has, when its newest key was uploaded: until then, older ones signed. */
  uploadedAt: v.record(v.string(), v.pipe(v.string(), v.isoTimestamp('must be a time in UTC'))),
  /** The largest EXPIRE_IN_SECONDS_MAX so far: links live as long as it said when they were made. */
  expireInSecondsMax: v.number(),
  /**
   * For each Worker, the versions that had all requests after their checks, the newest first: a rollback
   * may go back further than Cloudflare's list of deployments.
   */
  released: v.strictObject({ payments: v.array(v.string()), backOffice: v.array(v.string()) }),
});

export type Deployment = v.InferOutput<typeof SCHEMA>;

export class DeploymentFileError extends Error {
  override readonly name = 'DeploymentFileError';
}

export function deploymentFile(name: string, directory = DEPLOYMENTS_DIRECTORY): string {
  return join(directory, `${checkDeploymentName(name)}.json`);
}

/** The deployment, or null when `npm run setup` has not made it. Throws DeploymentFileError. */
export async function readDeployment(
  name: string,
  directory = DEPLOYMENTS_DIRECTORY,
): Promise<Deployment | null> {
  const file = deploymentFile(name, directory);
  const text = await readIfPresent(file);
  if (text === null) {
    return null;
  }
  const shown = relative(process.cwd(), file);
  const newer = await newerCommitOf(file);
  if (newer !== null) {
    throw new DeploymentFileError(
      `${shown} is older than that of commit ${newer}, which may have newer keys: go back to its branch. For older code beside it: ${olderCode('COMMIT')}`,
    );
  }
  return parseDeployment(text, shown);
}

/** The same for a command that needs the deployment. */
export async function requireDeployment(
  name: string,
  directory = DEPLOYMENTS_DIRECTORY,
): Promise<Deployment> {
  const deployment = await readDeployment(name, directory);
  if (deployment === null) {
    const file = relative(process.cwd(), deploymentFile(name, directory));
    const names = (await readdir(directory).catch(() => []))
      .filter((entry) => entry.endsWith('.json'))
      .map((entry) => entry.slice(0, -'.json'.length));
    throw new DeploymentFileError(
      names.length === 0
        ? `there is no ${file}: run \`npm run setup\` first`
        : `there is no ${file}: name one of ${names.join(', ')} with --env`,
    );
  }
  return deployment;
}

export async function writeDeployment(
  name: string,
  deployment: Deployment,
  directory = DEPLOYMENTS_DIRECTORY,
): Promise<void> {
  const file = deploymentFile(name, directory);
  await mkdir(dirname(file), { recursive: true });
  await writeWhole(file, `${JSON.stringify(v.parse(SCHEMA, deployment), null, 2)}\n`);
}

/** Throws an error that names the file and each field that is wrong. */
export function parseDeployment(text: string, file: string): Deployment {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new DeploymentFileError(`${file} is not JSON`);
  }
  const result = v.safeParse(SCHEMA, value);
  if (!result.success) {
    const faults = result.issues.map(
      (issue) => `  ${v.getDotPath(issue) ?? 'the file'}: ${issue.message}`,
    );
    throw new DeploymentFileError(`${file} is malformed:\n${faults.join('\n')}`);
  }
  return result.output;
}

function isHttpsOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === 'https:' && url.origin === text;
}

/** OPERATOR_SECRETS separates its entries and names by these characters. */
export function isPlainOperatorName(name: string): boolean {
  return isOperatorName(name) && name === name.trim() && !/[,:]/.test(name);
}
