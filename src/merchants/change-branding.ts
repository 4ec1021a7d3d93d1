import { auditEntry, type Changing, entryOf } from '../audit/log.ts';
import type { Branding } from '../domain/intent.ts';
import { runBatch } from '../platform/database.ts';
import { colorFrom, LOGOS_MAX, type Logo, type LogoRefusal, logoFrom } from './branding.ts';
import { countOtherLogos, merchantBranding } from './logo.ts';
import { addLogo, setBranding } from './provision.ts';

/** A part of the branding; null removes it. */
export type BrandingChange =
  | { readonly color: string | null }
  | { readonly logo: Uint8Array<ArrayBuffer> | null };

export type BrandingRefusal = LogoRefusal | 'bad_color' | 'too_many';

/** Changes a merchant's color or logo, with an audit entry for a difference; else says why not. */
export async function changeBranding(
  by: Changing,
  change: BrandingChange,
): Promise<BrandingRefusal | null> {
  if ('color' in change) {
    const color = change.color === null ? null : colorFrom(change.color);
    return color === null && change.color !== null ? 'bad_color' : store(by, { color }, null);
  }
  if (change.logo === null) {
    return store(by, { logoDigest: null }, null);
  }
  const result = await logoFrom(change.logo);
  if (result.type === 'refused') {
    return result.reason;
  }
  const { logo } = result;
  return (await countOtherLogos(by.env.DB, by.tenant.merchantId, logo.digest)) >= LOGOS_MAX
    ? 'too_many'
    : store(by, { logoDigest: logo.digest }, logo);
}

async function store(by: Changing, detail: Partial<Branding>, logo: Logo | null): Promise<null> {
  const { env, tenant, nowMs } = by;
  const { merchantId } = tenant;
  const known = await merchantBranding(env.DB, merchantId);
  const next = { ...known, ...detail };
  if (next.color !== known.color || next.logoDigest !== known.logoDigest) {
    const entry = entryOf(by, { action: 'branding.changed', target: null, detail });
    await runBatch(env.DB, [
      ...(logo === null ? [] : [addLogo(merchantId, logo, nowMs)]),
      setBranding(merchantId, detail),
      // The branding is that of both environments.
      auditEntry({ ...entry, environment: null }),
    ]);
  }
  return null;
}
