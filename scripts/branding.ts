import { readFile } from 'node:fs/promises';
import type { SqlStatement } from '../src/database.ts';
import {
  colourFrom,
  LOGO_BYTES_MAX,
  type Logo,
  type LogoRefusal,
  logoFrom,
} from '../src/merchants/branding.ts';
import { addLogo, setBranding } from '../src/merchants/provision.ts';

/** What is to change of a merchant's branding: null takes it away, absent leaves it. */
export interface BrandingChanges {
  readonly colour?: string | null;
  readonly logo?: Logo | null;
}

/** The options that both scripts take, for `parseArgs`. */
export const BRANDING_OPTIONS = {
  colour: { type: 'string' },
  logo: { type: 'string' },
} as const;

const NONE = 'none';

const LOGO_REFUSALS: Readonly<Record<LogoRefusal, string>> = {
  too_large: `is larger than ${LOGO_BYTES_MAX} bytes, too much for customers on slow phones`,
  unknown_format: 'is no PNG, WebP or JPEG picture (SVG is not taken: it can carry script)',
  incomplete: 'is cut short, or has something behind the end of the picture',
};

/** Reads `--colour` and `--logo`. Throws, saying what is wrong, before anything is written. */
export async function brandingChanges(values: {
  readonly colour?: string | undefined;
  readonly logo?: string | undefined;
}): Promise<BrandingChanges> {
  return {
    ...(values.colour === undefined ? {} : { colour: colourOption(values.colour) }),
    ...(values.logo === undefined ? {} : { logo: await logoOption(values.logo) }),
  };
}

function colourOption(text: string): string | null {
  if (text === NONE) {
    return null;
  }
  const colour = colourFrom(text);
  if (colour === null) {
    throw new Error(`--colour takes a colour such as '#0b6b4b', in quotes, or "${NONE}"`);
  }
  return colour;
}

async function logoOption(file: string): Promise<Logo | null> {
  return file === NONE ? null : readLogo(file);
}

/** The logo in a file. Throws, saying what is wrong with it. */
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

/** None when nothing changes. */
export function brandingStatements(
  merchantId: string,
  changes: BrandingChanges,
  createdAtMs: number,
): readonly SqlStatement[] {
  const { colour, logo } = changes;
  if (colour === undefined && logo === undefined) {
    return [];
  }
  const branding = setBranding(merchantId, {
    ...(colour === undefined ? {} : { colour }),
    ...(logo === undefined ? {} : { logoDigest: logo?.digest ?? null }),
  });
  // The logo first: the branding refers to it.
  return logo ? [addLogo(merchantId, logo, createdAtMs), branding] : [branding];
}

/** For people, such as "colour #0b6b4b, logo image/png of 812 bytes". */
export function brandingText({ colour, logo }: BrandingChanges): string {
  const logoText = logo ? `${logo.mediaType} of ${logo.bytes.length} bytes` : NONE;
  return [
    ...(colour === undefined ? [] : [`colour ${colour ?? NONE}`]),
    ...(logo === undefined ? [] : [`logo ${logoText}`]),
  ].join(', ');
}
