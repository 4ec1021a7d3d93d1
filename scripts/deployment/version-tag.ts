import { createHash } from 'node:crypto';
import { PROJECT_DIRECTORY } from '../project/files.ts';
import { fingerprintOf } from '../project/fingerprint.ts';
import type { WorkerConfig } from '../project/worker-config.ts';
import type { Plane } from './keys.ts';

/**
 * The tag of an uploaded version: what its code and its configuration were. Setup and deployments
 * compare it with the project, so that they change nothing that is right.
 */
export interface VersionTag {
  readonly code: string;
  readonly config: string;
}

/** Cloudflare takes tags of up to 25 characters. */
const DIGITS = 12;

const CODE: Readonly<Record<Plane, readonly string[]>> = {
  payments: ['src/**', 'public/**', 'package-lock.json'],
  backOffice: [
    ...['src/**', 'back-office/**', 'package-lock.json'],
    // Its pages of documentation.
    ...['docs/**', 'site/**', 'clients/**', 'CHANGELOG.md', 'public/openapi.json'],
  ],
};
/** Made by builds out of the other files. */
const BUILT = [
  'clients/*/dist/**',
  'back-office/public/docs/**',
  'back-office/public/docs-assets/**',
  'back-office/public/llms*.txt',
];

export function versionTagOf(plane: Plane, config: WorkerConfig): VersionTag {
  const code = fingerprintOf(CODE[plane], BUILT);
  // The configuration does not depend on the project's place on this machine.
  const text = JSON.stringify(config).replaceAll(PROJECT_DIRECTORY, '');
  const digest = createHash('sha256').update(text).digest('hex');
  return { code: code.slice(0, DIGITS), config: digest.slice(0, DIGITS) };
}

export function formatVersionTag({ code, config }: VersionTag): string {
  return `${code}-${config}`;
}

/** Null for a version that was uploaded in another way. */
export function parseVersionTag(text: string | undefined): VersionTag | null {
  const [, code, config] = /^([0-9a-f]{12})-([0-9a-f]{12})$/.exec(text ?? '') ?? [];
  return code === undefined || config === undefined ? null : { code, config };
}
