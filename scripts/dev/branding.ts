import { readFile } from 'node:fs/promises';
import {
  LOGO_BYTES_MAX,
  type Logo,
  type LogoRefusal,
  logoFrom,
} from '../../src/merchants/branding.ts';
import { addLogo, setBranding } from '../../src/merchants/provision.ts';
import type { SqlStatement } from '../../src/platform/database.ts';

/** Changes to a merchant's branding: null removes, absent keeps. */
export interface BrandingChanges {
  readonly color?: string | null;
  readonly logo?: Logo | null;
}

const LOGO_REFUSALS: Readonly<Record<LogoRefusal, string>> = {
  too_large: `is larger than ${LOGO_BYTES_MAX} bytes, too much for customers on slow phones`,
  unknown_format: 'is not a PNG, WebP or JPEG image (SVG can contain scripts)',
  incomplete: 'is incomplete or has extra data at its end',
};

/** Reads a logo. Throws an error that says what is wrong with the file. */
export async function readLogo(file: string): Promise<Logo> {
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = await readFile(file);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`the logo cannot be read: ${reason}`);
  }
  const result = await logoFrom(bytes);
  if (result.type === 'refused') {
    throw new Error(`the logo ${file} ${LOGO_REFUSALS[result.reason]}`);
  }
  return result.logo;
}

/** No statements when nothing changes. */
export function brandingStatements(
  merchantId: string,
  changes: BrandingChanges,
  createdAtMs: number,
): readonly SqlStatement[] {
  const { color, logo } = changes;
  if (color === undefined && logo === undefined) {
    return [];
  }
  const branding = setBranding(merchantId, {
    ...(color === undefined ? {} : { color }),
    ...(logo === undefined ? {} : { logoDigest: logo?.digest ?? null }),
  });
  // The branding refers to the logo, so the logo comes first.
  return logo ? [addLogo(merchantId, logo, createdAtMs), branding] : [branding];
}
